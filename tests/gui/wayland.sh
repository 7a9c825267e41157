#!/bin/sh
# Runs the window on Wayland, with a compositor that needs no screen, and expects a picture and no complaint of VTK.
# Usage: wayland.sh SPIRASCOPE FOLDER    77: there is no compositor, or Qt has no plugin for one
set -u
program=$1 folder=$2
command -v weston >/dev/null || exit 77
rm -rf "$folder"
mkdir -p "$folder"
XDG_RUNTIME_DIR=$(mktemp -d)  # the path of a socket has 107 characters at the most
export XDG_RUNTIME_DIR XDG_CONFIG_HOME="$folder/config" XDG_DATA_HOME="$folder/data" XDG_CACHE_HOME="$folder/cache"
export XDG_STATE_HOME="$folder/state" WAYLAND_DISPLAY=spira
weston --backend=headless-backend.so --use-gl --socket=spira --width=1600 --height=1000 >"$folder/weston.log" 2>&1 &
weston=$!
trap 'kill $weston; rm -rf "$XDG_RUNTIME_DIR"' EXIT
tries=0
until [ -S "$XDG_RUNTIME_DIR/spira" ]; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { cat "$folder/weston.log"; exit 1; }
  sleep 0.1
done
env -u DISPLAY QT_QPA_PLATFORM=wayland "$program" street --grid 0.2 --picture "$folder/window.png" 2>"$folder/stderr"
status=$?
cat "$folder/stderr"
if grep -q 'Could not find the Qt platform plugin' "$folder/stderr"; then exit 77; fi
[ $status -eq 0 ] && [ -s "$folder/window.png" ] && ! grep -q 'vtk' "$folder/stderr"
