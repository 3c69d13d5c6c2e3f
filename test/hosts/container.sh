#!/bin/sh
# Runs Node.js as in a container with a read-only root: as user 1000 without capabilities, and with a /tmp of 2 MB that
# contains only mounts: the working directory and the folders in VOLUMES. Needs root on Linux.
set -e
if [ "$1" != inside ]; then
  exec unshare --mount --propagation private "$0" inside "$@"
fi
shift
working=$PWD
mount -t tmpfs -o size=2m,mode=1777 tmpfs /mnt
for folder in "$working" $VOLUMES; do
  chown -Rh 1000:1000 "$folder"
  mkdir "/mnt/$(basename "$folder")"
  mount --bind "$folder" "/mnt/$(basename "$folder")"
done
mount --move /mnt /tmp
mount -o remount,bind,ro /
cd "$working"
exec setpriv --reuid 1000 --regid 1000 --clear-groups --bounding-set=-all --no-new-privs "$NODE" "$@"
