# The preset is applied first, at any position on the command line.
plain_blobs 30 >d.csv
small=(--no-report --layers 3 --greedy-iterations 5 --finetune-iterations 20 --max-iterations 10 --restarts 1 -q)
expect 0 decant fit d.csv -k 3 --momentum 0.5 --batch=8 "${small[@]}" --shuffle --preset paper -o a
expect 0 decant fit d.csv -k 3 --preset=paper --batch 8 --momentum=0.5 "${small[@]}" --no-shuffle --shuffle -o b
same a/labels.csv b/labels.csv
same a/model.safetensors b/model.safetensors
says '"optimizer": "sgd"' a/manifest.json
says '"momentum": 0.5' a/manifest.json
says '"shuffle": true' a/manifest.json
cp d.csv ./-d.csv
expect 0 decant fit -k3 -oc "${small[@]}" -- -d.csv
