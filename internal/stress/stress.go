// Package stress tortures the built programs with many processes at once and with kill -9, when BOARD_SLOW=1.
package stress
