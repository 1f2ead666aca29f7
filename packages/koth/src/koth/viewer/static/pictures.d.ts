// The pictures that a page holds which is a file: written by pages.py.

import type {Picture} from "./draw.js";

export const pictures: Record<string, Picture>;
