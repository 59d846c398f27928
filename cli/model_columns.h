/* The recipe of a model for tables, beside flags that choose columns. */
#ifndef DECANT_CLI_MODEL_COLUMNS_H
#define DECANT_CLI_MODEL_COLUMNS_H

#include "args.h"
#include "decant/model.h"

/* Refuses --columns, --drop, --types and --text-column where the model has a recipe and they ask
 * for another one: they would be without effect. 0, or EXIT_USAGE after an error message. */
int check_recipe(const cli_arguments *given, const decant_model *model);

#endif
