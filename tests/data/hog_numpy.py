"""HOG and colour map worked out from their formulas in numpy, pixel by pixel: slow, and only here to compare with."""
import numpy as np

UU = np.array([1, .9397, .7660, .5, .1736, -.1736, -.5, -.7660, -.9397])
VV = np.array([0, .3420, .6428, .8660, .9848, .9848, .8660, .6428, .3420])


def gradients(image):
    """Of every pixel of the whole cells: orientation by its two parts, and length."""
    height, width, channels = image.shape
    rows, columns = int(height / 8 + 0.5), int(width / 8 + 0.5)
    wide = image.astype(np.float64)
    for y in range(1, 8 * rows - 1):
        for x in range(1, 8 * columns - 1):
            py, px = min(y, height - 2), min(x, width - 2)
            dx = wide[py, px + 1] - wide[py, px - 1]
            dy = wide[py + 1, px] - wide[py - 1, px]
            c = np.argmax(dx ** 2 + dy ** 2)
            yield y, x, dx[c], dy[c]


def histogram(image, signed):
    height, width, _ = image.shape
    rows, columns = int(height / 8 + 0.5), int(width / 8 + 0.5)
    cells = np.zeros((rows, columns, 18 if signed else 9))
    for y, x, dx, dy in gradients(image):
        dots = UU * dx + VV * dy
        if signed:
            both = np.stack([dots, -dots], axis=1).ravel()  # 0, 0+9, 1, 1+9, ...
            best = np.argmax(both)
            o = best // 2 + 9 * (best % 2) if both[best] > 0 else 0
        else:
            o = np.argmax(np.abs(dots))
        length = np.sqrt(dx ** 2 + dy ** 2)
        xp, yp = (x + .5) / 8 - .5, (y + .5) / 8 - .5
        ix, iy = int(np.floor(xp)), int(np.floor(yp))
        for cy, wy in ((iy, 1 - (yp - iy)), (iy + 1, yp - iy)):
            for cx, wx in ((ix, 1 - (xp - ix)), (ix + 1, xp - ix)):
                if 0 <= cy < rows and 0 <= cx < columns:
                    cells[cy, cx, o] += wx * wy * length
    return cells


def hog(image, signed=False):
    """[y][x][13], or [y][x][31] with signed."""
    cells = histogram(image, signed)
    plain = cells[:, :, :9] + cells[:, :, 9:] if signed else cells
    energy = (plain ** 2).sum(axis=2)
    block = 1 / np.sqrt(energy[:-1, :-1] + energy[1:, :-1] + energy[:-1, 1:] + energy[1:, 1:] + 0.0001)
    out = []
    for y in range(cells.shape[0] - 2):
        for x in range(cells.shape[1] - 2):
            norms = np.array([block[y + 1, x + 1], block[y, x + 1], block[y + 1, x], block[y, x]])
            clipped = np.minimum(cells[y + 1, x + 1][:, None] * norms, 0.2)
            parts = [0.5 * clipped.sum(axis=1)]
            if signed:
                parts.append(0.5 * np.minimum(plain[y + 1, x + 1][:, None] * norms, 0.2).sum(axis=1))
            parts.append(0.2357 * clipped.sum(axis=0))
            out.append(np.concatenate(parts))
    return np.concatenate(out)


def colormap(image):
    """[r][c][Cr, Cb] of sides that are multiples of 16: there the four pixels around a place weigh the same."""
    height, width, channels = image.shape
    assert height % 16 == 0 and width % 16 == 0
    out = []
    for r in range(8):
        for c in range(8):
            y, x = height // 8 * r + height // 16 - 1, width // 8 * c + width // 16 - 1
            four = image[y:y + 2, x:x + 2].reshape(4, channels).astype(int)
            p = (four.sum(axis=0) + 2) >> 2
            red, green, blue = (p if channels == 3 else np.repeat(p, 3)).tolist()
            luma = (4899 * red + 9617 * green + 1868 * blue + 8192) >> 14
            for part, factor in ((red, 11682), (blue, 9241)):
                out.append(min(max(((part - luma) * factor + (128 << 14) + 8192) >> 14, 0), 255))
    return np.array(out, dtype=np.float64)


def hog_and_colormap(image):
    return np.concatenate([(hog(image) - 0.2) * 10, (colormap(image) - 128) / 10])
