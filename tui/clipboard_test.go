package tui

import "reflect"

func typeName(v any) string { return reflect.TypeOf(v).String() }

func stringOf(v any) string { return reflect.ValueOf(v).String() }
