/* A folder with the four files of an MNIST-style dataset. */
#ifndef DECANT_DATA_FOLDER_H
#define DECANT_DATA_FOLDER_H

#include "base/status.h"

int decant__is_folder(const char *path);

/* The paths of train images, train labels, test images and test labels; the caller frees them. */
decant_status decant__folder_find(const char *folder, char *paths[4]);

#endif
