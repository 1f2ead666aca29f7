// The little that is used of uPlot.

export const Plot: any;
