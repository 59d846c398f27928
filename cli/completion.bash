# bash completion for decant; made by `decant help --completion`, do not edit
_decant() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
    local commands='fit select-k sweep predict embed export features name merge match compare eval info tsne report reproduce help version' flags= words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$commands --help --version" -- "$current"))
        return
    fi
    case "$previous" in
        help) words="$commands options files" ;;
        --method) words='dec idec dec-nobackprop ae+kmeans kmeans gmm spectral sec ldmgi ae+gmm ae+spectral ae+sec ae+ldmgi' ;;
        --preset) words='fast paper authors best' ;;
        --scaling) words='auto paper none standard minmax counts gradients' ;;
        --features) words='auto pixels hog hog31 colormap hog+colormap tfidf' ;;
        --vocabulary-by) words='count documents' ;;
        --optimizer) words='adam sgd' ;;
        --dropout-on) words='all hidden' ;;
        --seeding) words='plusplus random' ;;
        --start) words='auto features' ;;
        --covariance) words='diag full' ;;
        --laplacian) words='gaussian local' ;;
        --discretise) words='rotation kmeans' ;;
        --knn) words='exact approximate' ;;
    esac
    case "${COMP_WORDS[1]}" in
        fit) flags='--output --labels --id-column --label-column --graph --pretrained --like --pretrain-extra --text-column --columns --drop --types --topics --folder-labels --on-error --resume --force --checkpoint-seconds --no-report --image --quiet --json --help --k --method --preset --seed --scaling --mean-square --outliers --min-size --features --resize --vocabulary --vocabulary-by --language --stop-words --no-stop-words --layers --optimizer --init-std --batch --greedy-iterations --dropout --dropout-on --finetune-iterations --diffuse-iterations --networks --pretrain-epochs --pretrain-rate --rate-step --momentum --bias-rate --shuffle --no-shuffle --zeros --seeding --restarts --kmeans-iterations --whiten --neighbours --smooth-steps --start --alpha --refine-rate --update-interval --tol --max-iterations --refine-epochs --balance --anneal --no-anneal --gamma --student-iterations --student-width --covariance --lambda --mu --laplacian --discretise --skip-constant --no-skip-constant --knn --threads --memory ' ;;
        select-k) flags='--output --labels --id-column --label-column --pretrained --pretrain-extra --text-column --columns --drop --types --topics --folder-labels --on-error --resume --force --checkpoint-seconds --quiet --json --help --k --method --preset --seed --scaling --mean-square --outliers --min-size --features --resize --vocabulary --vocabulary-by --language --stop-words --no-stop-words --layers --optimizer --init-std --batch --greedy-iterations --dropout --dropout-on --finetune-iterations --diffuse-iterations --networks --pretrain-epochs --pretrain-rate --rate-step --momentum --bias-rate --shuffle --no-shuffle --zeros --seeding --restarts --kmeans-iterations --whiten --neighbours --smooth-steps --start --alpha --refine-rate --update-interval --tol --max-iterations --refine-epochs --balance --anneal --no-anneal --gamma --student-iterations --student-width --covariance --lambda --mu --laplacian --discretise --skip-constant --no-skip-constant --knn --threads --memory ' ;;
        sweep) flags='--output --labels --id-column --label-column --graph --pretrained --pretrain-extra --text-column --columns --drop --types --topics --folder-labels --on-error --resume --force --checkpoint-seconds --quiet --json --help --k --method --preset --seed --scaling --mean-square --outliers --min-size --features --resize --vocabulary --vocabulary-by --language --stop-words --no-stop-words --layers --optimizer --init-std --batch --greedy-iterations --dropout --dropout-on --finetune-iterations --diffuse-iterations --networks --pretrain-epochs --pretrain-rate --rate-step --momentum --bias-rate --shuffle --no-shuffle --zeros --seeding --restarts --kmeans-iterations --whiten --neighbours --smooth-steps --start --alpha --refine-rate --update-interval --tol --max-iterations --refine-epochs --balance --anneal --no-anneal --gamma --student-iterations --student-width --covariance --lambda --mu --laplacian --discretise --skip-constant --no-skip-constant --knn --threads --memory ' ;;
        predict) flags='--output --labels --id-column --label-column --text-column --columns --drop --types --topics --folder-labels --on-error --soft --append --quiet --json --help --threads ' ;;
        embed) flags='--output --id-column --label-column --text-column --columns --drop --types --topics --folder-labels --on-error --quiet --help --threads ' ;;
        export) flags='--output --quiet --help ' ;;
        features) flags='--output --labels --id-column --label-column --text-column --columns --drop --types --topics --folder-labels --on-error --quiet --help --features --resize --vocabulary --vocabulary-by --language --stop-words --no-stop-words --threads ' ;;
        name) flags='--names --quiet --help ' ;;
        merge) flags='--data --output --no-report --quiet --help ' ;;
        match) flags='--data --output --no-report --quiet --help ' ;;
        compare) flags='--json --help ' ;;
        eval) flags='--id-column --label-column --json --help ' ;;
        info) flags='--labels --id-column --label-column --text-column --columns --drop --types --topics --folder-labels --on-error --json --help --features --resize --vocabulary --vocabulary-by --language --stop-words --no-stop-words --threads ' ;;
        tsne) flags='--output --labels --id-column --label-column --text-column --columns --drop --types --topics --folder-labels --on-error --perplexity --iterations --quiet --help --seed --scaling --features --resize --vocabulary --vocabulary-by --language --stop-words --no-stop-words --threads ' ;;
        report) flags='--labels --id-column --label-column --text-column --columns --drop --types --topics --folder-labels --on-error --image --figures --quiet --help --threads ' ;;
        reproduce) flags='--data --seeds --output --checkpoint-seconds --quiet --help --preset --threads ' ;;
        help) flags='--help ' ;;
        version) flags='--help ' ;;
    esac
    case "$words:$current" in
        ?*:*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
        :-*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
        *) COMPREPLY=($(compgen -f -- "$current")) ;;
    esac
}
complete -o filenames -F _decant decant
