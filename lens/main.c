// SPDX-License-Identifier: Apache-2.0
// lens: looks into running Java programs. The command line is in cli.c.
#include "cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
