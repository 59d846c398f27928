# Every option is in the help of fit, in `help options`, in the man page and in the completion.
decant help fit >fit; decant help options >options; decant help --man >man; decant help --completion >bash
grep -o -- '^  --[a-z-]*' options | tr -d ' ' | sort >names
[ "$(wc -l <names)" -gt 20 ] || fail "only $(wc -l <names) options"
while read -r name; do
    says "$name" fit
    says "$name " bash
    sed 's/\\//g' man >man.plain
    says "$name" man.plain
done <names
says '[0.003] [paper: 0.1]' options
says '(0 to 0.95)' options
decant help files >files
for name in NPY IDX CSV svmlight 'Matrix Market' PNG JPEG text STL-10 'LYRL2004 tokens'; do says "$name" files; done
