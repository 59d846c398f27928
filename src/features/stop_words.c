/* Words that say nothing of what a text is about: articles, pronouns, prepositions, conjunctions,
 * auxiliary verbs. Words are as the tokeniser makes them: lower case, two letters or more, and cut
 * at an apostrophe ("don't" is "don"). */
#include <string.h>

#include "features/stems.h"

static const struct {
    const char *language, *words;
} lists[] = {
    {"english",
     "an the this that these those "
     "me my mine myself we us our ours ourselves you your yours yourself yourselves he him his "
     "himself she her hers herself it its itself they them their theirs themselves one ones "
     "who whom whose which what where when why how whoever whatever whichever whenever wherever "
     "and or but nor so yet if then else than because since while whilst although though unless "
     "until till whether as "
     "of at by for with about against between among into through during before after above below "
     "to from up down in out on off over under upon within without toward towards across along "
     "around behind beside besides beyond near per via onto "
     "am is are was were be been being have has had having do does did doing done will would "
     "shall should can could may might must ought "
     "isn aren wasn weren don doesn didn won wouldn "
     "shouldn couldn hasn haven hadn mustn needn ll "
     "ve re "
     "not no any some all both each every either neither few more most much many other others "
     "another such own same only very too also just even still again ever never once here there "
     "now almost rather quite perhaps however therefore thus hence else etc"},
    {"german",
     "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner "
     "keines dieser diese dieses diesen diesem jener "
     "jene jenes jenen jenem welcher welche welches "
     "welchen welchem jeder jede jedes jeden jedem alle allen aller alles "
     "ich mich mir mein meine meinen meinem meiner meines du dich dir dein deine deinen deinem "
     "deiner deines er ihn ihm sein seine seinen seinem seiner seines sie ihr ihre ihren ihrem "
     "ihrer ihres es wir uns unser unsere unseren unserem unserer unseres euch euer eure euren "
     "eurem eurer ihnen man sich selbst wer wen wem wessen was wo wann warum wie "
     "und oder aber denn sondern weil dass ob wenn als während obwohl damit bevor nachdem bis "
     "seit sowie sowohl weder noch entweder "
     "in im an am auf aus bei beim mit nach von vom vor zu zum zur über unter durch für gegen "
     "ohne um zwischen hinter neben wegen trotz ab "
     "bin bist ist sind seid war warst waren wart sein gewesen habe hast hat haben habt hatte "
     "hatten werde wirst wird werden werdet wurde "
     "wurden worden geworden kann kannst können könnt "
     "konnte konnten könnte könnten muss müssen musste "
     "mussten soll sollen sollte sollten will "
     "wollen wollte wollten darf dürfen durfte durften "
     "mag mögen mochte möchte würde würden hätte "
     "hätten wäre wären "
     "nicht nichts nie auch nur schon sehr so doch ja "
     "nein mehr hier dort da dann nun jetzt immer "
     "wieder etwas einige einigen einiger viel viele vielen andere anderen anderer anderes"},
    {"french",
     "le la les un une des du de au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre "
     "nos votre vos leur leurs je me moi tu te toi il elle on lui nous vous ils elles eux se soi "
     "en qui que quoi dont où quel quelle quels quelles lequel laquelle lesquels lesquelles "
     "et ou mais donc or ni car si comme lorsque puisque quand parce afin "
     "dans par pour sur sous avec sans entre vers chez contre depuis pendant avant après selon "
     "jusque jusqu qu "
     "suis es est sommes êtes sont étais était "
     "étions étiez étaient été être serai sera seront "
     "serait seraient soit soient ai as avons avez ont avais avait avions aviez avaient eu avoir "
     "aura auront aurait auraient ait aient fait faire peut peuvent pouvait doit doivent "
     "ne pas plus point jamais rien aucun aucune "
     "tout toute tous toutes même mêmes autre autres "
     "aussi très trop bien ici là alors ainsi "
     "encore déjà cela ça ceci celui celle ceux celles"},
    {"spanish",
     "el la los las un una unos unas lo al del de este esta estos estas ese esa esos esas aquel "
     "aquella aquellos aquellas esto eso aquello mi mis tu tus su sus nuestro nuestra nuestros "
     "nuestras vuestro vuestra vuestros vuestras yo me mí tú te "
     "ti él ella ello se sí le les nos "
     "os nosotros nosotras vosotros vosotras ellos ellas usted ustedes que quien quienes cual "
     "cuales cuyo cuya qué quién cómo como cuando cuándo donde dónde cuanto "
     "ni pero sino porque pues si aunque mientras "
     "en por para con sin sobre entre hasta desde hacia contra según durante ante bajo tras "
     "soy eres es somos son era eras éramos eran fue fueron ser sido siendo será serán sería "
     "sea sean estoy estás está estamos están estaba estaban estado estar he has ha hemos han "
     "había habían haber hay hubo haya tiene tienen tenía tener puede pueden debe deben "
     "no nada nunca ya muy más menos mucho mucha muchos muchas poco poca pocos pocas todo toda "
     "todos todas otro otra otros otras mismo misma "
     "mismos mismas también tan tanto así aquí ahí "
     "allí ahora entonces algo algún alguna algunos algunas ningún ninguna cada"},
    {"italian",
     "il lo la gli le un uno una del dello della dei degli delle al allo alla ai agli alle dal "
     "dallo dalla dai dagli dalle nel nello nella nei "
     "negli nelle sul sullo sulla sui sugli sulle "
     "di da in con su per tra fra senza sotto sopra verso dopo prima durante contro "
     "questo questa questi queste quello quella quelli quelle mio mia miei mie tuo tua tuoi tue "
     "suo sua suoi sue nostro nostra nostri nostre vostro vostra vostri vostre loro io mi me tu "
     "ti te egli lui lei esso essa si sé noi ci voi vi essi esse ne che chi cui quale quali "
     "ed od ma perché se come quando dove mentre anche né però quindi dunque "
     "sono sei è siamo siete era erano ero stato stata stati state essere sarà saranno sarebbe "
     "sia siano ho hai ha abbiamo avete hanno aveva avevano avere avuto abbia può possono deve "
     "devono non più meno molto molta molti molte "
     "poco tutto tutta tutti tutte altro altra altri "
     "altre stesso stessa stessi stesse così già ancora "
     "sempre mai qui qua là poi ora cosa ogni"},
    {"dutch",
     "de het een deze dit die dat mijn jouw zijn haar ons onze jullie hun uw ik me mij je jij u "
     "hij hem zij ze wij we hen zich wie wat welke waar wanneer waarom hoe "
     "en of maar want dus omdat als dan dat toen terwijl hoewel noch "
     "in op aan van voor met bij naar uit over onder door tot tegen zonder tussen om te ten ter "
     "af sinds tijdens volgens "
     "ben bent is was waren geweest heb hebt heeft "
     "hebben had hadden gehad word wordt worden werd "
     "werden geworden zal zult zullen zou zouden kan kunt kunnen kon konden moet moeten moest "
     "mag mogen mocht wil willen wilde doet doen "
     "niet niets geen nooit ook nog al er hier daar nu toch wel heel zeer meer meest veel alle "
     "alles andere anders ander iets iemand elk elke zo weer"},
    {"portuguese",
     "os as um uma uns umas ao aos do da dos das no na nos nas pelo pela pelos pelas num numa "
     "de em por para com sem sobre entre até desde contra segundo durante após sob "
     "este esta estes estas esse essa esses essas aquele aquela aqueles aquelas isto isso aquilo "
     "meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas eu me "
     "mim tu te ti ele ela se si lhe lhes nós "
     "vós vos eles elas você vocês que quem qual quais "
     "cujo cuja como quando onde quanto porque se mas ou nem pois embora enquanto "
     "sou és é somos são era eram fui foi foram "
     "ser sido será serão seria seja sejam estou está "
     "estamos estão estava estavam estar tenho tem temos "
     "têm tinha tinham ter teve há havia haver "
     "pode podem deve devem não nunca já muito muita muitos muitas mais menos pouco todo toda "
     "todos todas outro outra outros outras mesmo mesma mesmos mesmas também só assim aqui ali "
     "agora então ainda algum alguma alguns algumas nenhum nenhuma cada"},
};

const char *decant__stop_words(const char *language) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(lists[i].language, language) == 0) return lists[i].words;
    return "";
}
