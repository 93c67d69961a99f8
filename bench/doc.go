// Command bench measures shakescope against yardsticks and prints one table: each figure, its bar, the
// stretch it could reach, and the result.
//
//	go run ./bench [-rounds 16] [-only ping,flood,memory,start,size,files,index,annotate] [-dir DIR]
//
// It needs Linux, gcc, node and grep. Figures are ratios taken in one run: candidate and yardsticks
// take turns, round by round, and the best round of each counts, because a busy machine only ever makes
// things slower. Where possible CPU time is compared, which others who use the machine hardly change.
//
// The yardsticks (folder yardsticks) are a C relay that only copies, or copies and keeps what it
// copied; the proxy in JavaScript that people write when they want to see their traffic; grep; and the
// smallest Go program. What they all carry comes from client.c, which checks every echo and count, so
// that nothing that loses bytes can win.
//
// Exit codes: 0 all bars are met, 1 one is missed, 2 it could not be measured.
package main
