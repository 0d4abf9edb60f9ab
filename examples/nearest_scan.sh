#!/usr/bin/env bash
# Nearest neighbours of a real scan, and a picture of them: the facades of a building, 100,000 points, that Debian's
# package libcgal-demo ships (24 MB, fetched into a temporary folder, not installed). Each point is coloured by how far
# its 8th nearest neighbour is: where the scanner saw little, and stray points in front of the walls, come out red.
#
#     examples/nearest_scan.sh [HALFWARP [PICTURE]]     halfwarp, nearest_scan.png
#
# Needs apt-get, dpkg-deb and gnuplot.
set -euo pipefail
halfwarp=${1:-halfwarp}
picture=$(realpath "${2:-nearest_scan.png}")
case $halfwarp in */*) halfwarp=$(realpath "$halfwarp") ;; esac
for tool in apt-get dpkg-deb gnuplot "$halfwarp"; do
    command -v "$tool" > /dev/null || { echo "nearest_scan.sh: there is no $tool here" >&2; exit 1; }
done
K=8
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get download -qq libcgal-demo 2> apt.log || { cat apt.log >&2; exit 1; }
dpkg-deb --fsys-tarfile libcgal-demo_*.deb | tar -xO ./usr/share/doc/libcgal-dev/data.tar.gz |
    tar -xzO data/points_3/building.ply > building.ply

time "$halfwarp" nearest building.ply -o neighbours.npy --distances distances.npy --k $K

# The points as text, and beside them the distance to the last neighbour; the header of such a file has 128 bytes.
points=$(sed -n 's/^element vertex //p;/^end_header/q' building.ply)
paste -d ' ' <(sed '1,/^end_header/d' building.ply | head -n "$points" | cut -d ' ' -f 1-3) \
    <(tail -c +129 distances.npy | od -An -v -t f4 -w$((4 * K)) | awk '{ print $NF }') > points.txt

gnuplot -e "picture = '$picture'" - <<'PLOT'
set terminal pngcairo size 1000,480 font 'Sans,11' background '#ffffff'
set output picture
# Seen from the front and a little from above.
turn = 75 * pi / 180
tilt = 20 * pi / 180
across(x, y) = x * cos(turn) + y * sin(turn)
up(x, y, z) = z * cos(tilt) + (y * cos(turn) - x * sin(turn)) * sin(tilt)
set size ratio -1
unset border
unset xtics
unset ytics
set margins screen 0.02, screen 0.98, screen 0.22, screen 0.99
set colorbox horizontal user origin 0.25, 0.13 size 0.5, 0.03
set logscale cb
set cbtics (0.1, 0.2, 0.5, 1, 2)
set cblabel 'distance to the 8th nearest neighbour, in the units of the scan'
set palette defined (0 '#30123b', 1 '#4686fb', 2 '#1ae4b6', 3 '#a4fc3c', 4 '#fb7e21', 5 '#7a0403')
stats 'points.txt' using 4 nooutput
set cbrange [STATS_lo_quartile / 2:STATS_up_quartile * 4]
plot 'points.txt' using (across($1, $2)):(up($1, $2, $3)):4 with points pointtype 7 pointsize 0.2 \
    linecolor palette notitle
PLOT
echo "$picture"
