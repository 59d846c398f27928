# A locale with a decimal comma for the tests: built into the build folder, so that no test is
# skipped because the machine happens to have English only. Where localedef or its sources are
# missing (tools/install_deps installs them), DECANT_TEST_LOCALE stays empty.
set(DECANT_TEST_LOCALE "")
set(DECANT_TEST_LOCPATH "${PROJECT_BINARY_DIR}/locale")
find_program(DECANT_LOCALEDEF localedef)
if(DECANT_LOCALEDEF AND EXISTS /usr/share/i18n/locales/de_DE)
  set(DECANT_TEST_LOCALE de_DE.UTF-8)
  if(NOT EXISTS ${DECANT_TEST_LOCPATH}/${DECANT_TEST_LOCALE}/LC_NUMERIC)
    file(MAKE_DIRECTORY ${DECANT_TEST_LOCPATH})
    execute_process(
      COMMAND ${DECANT_LOCALEDEF} -i de_DE -f UTF-8 ${DECANT_TEST_LOCPATH}/${DECANT_TEST_LOCALE}
      RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE message)
    if(NOT EXISTS ${DECANT_TEST_LOCPATH}/${DECANT_TEST_LOCALE}/LC_NUMERIC)
      message(FATAL_ERROR "localedef cannot make ${DECANT_TEST_LOCALE}: ${message}")
    endif()
  endif()
endif()
