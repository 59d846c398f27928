# The installed file is what the program prints, and bash can read it.
decant help --completion >made
same made "$DECANT_TESTS/../../cli/completion.bash"
. ./made
complete_line() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _decant; echo "${COMPREPLY[*]}"
}
[ "$(complete_line decant pre)" = predict ] || fail "commands are not completed"
[ "$(complete_line decant fit --meth)" = --method ] || fail "flags are not completed"
[ "$(complete_line decant fit --method id)" = idec ] || fail "choices are not completed"
touch data.npy
[ "$(complete_line decant fit da)" = data.npy ] || fail "files are not completed"
