// Command hello is the smallest Go program that says something: how fast a start can be.
package main

import "fmt"

func main() { fmt.Println("hello, world") }
