try decant help
try decant --version
try decant version
try decant help predict
try decant eval --help
decant --help >a; decant help >b; decant -h >c
same a b; same b c
decant fit --help >a; decant help fit >b
same a b
