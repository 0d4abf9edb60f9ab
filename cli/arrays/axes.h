// Lists of axes and other numbers on the command line.
#ifndef HW_CLI_AXES_H
#define HW_CLI_AXES_H

// Reads "2,0,-1", axes of an array of so many, into axes (room for rank of them); negative ones count from the last,
// and none may be there twice. "" is the list of none. option: for complaints. 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_parse_axes(const char *option, const char *text, int rank, int *axes, int *count);

#endif
