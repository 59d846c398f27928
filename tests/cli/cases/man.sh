decant help --man >decant.1
says '.TH DECANT 1' decant.1
command -v groff >/dev/null || skip "needs groff to read the page"
groff -man -Tascii -P-cbou -ww decant.1 >page 2>warnings || fail "groff fails"
[ -s warnings ] && fail "groff warns: $(cat warnings)"
says 'EXIT STATUS' page
