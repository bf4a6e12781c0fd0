#!/bin/sh
# What ssh asks for a password: prints the one in PASSWORD_FILE.
exec cat "$PASSWORD_FILE"
