"""HOG of a folder of photographs by OpenCV or scikit-image: TASK is opencv or skimage.

As many workers as there are threads: neither spreads its images over the cores by itself."""
import glob
import multiprocessing
import os
import sys

import rival


def opencv(path):
    import cv2
    cv2.setNumThreads(1)
    picture = cv2.resize(cv2.imread(path), (96, 96), interpolation=cv2.INTER_AREA)
    return len(cv2.HOGDescriptor((96, 96), (16, 16), (8, 8), (8, 8), 9).compute(picture))


def skimage(path):
    from skimage.feature import hog
    from skimage.io import imread
    return len(hog(imread(path), orientations=9, pixels_per_cell=(8, 8), cells_per_block=(2, 2),
                   channel_axis=-1))


def main():
    task = {"opencv": opencv, "skimage": skimage}[sys.argv[1]]
    setup = rival.setup()
    paths = sorted(glob.glob(os.path.join(sys.argv[2], "**", "*.jpg"), recursive=True))
    with multiprocessing.Pool(int(setup["threads"])) as pool:
        pool.map(task, paths[:100])  # imports
        rival.serve(lambda: rival.timed(lambda: len(pool.map(task, paths, chunksize=32))))


main()
