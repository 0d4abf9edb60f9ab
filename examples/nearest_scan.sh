#!/usr/bin/env bash
# Nearest neighbours of a real scan, and a picture of them: the facades of a building, 100,000 points, that Debian's
# package libcgal-demo ships (24 MB, fetched into a temporary folder, not installed). Each point is coloured by how far
# its 8th nearest neighbour is: where the scanner saw little, and stray points in front of the walls, come out red.
#
#     examples/nearest_scan.sh [HALFWARP [PICTURE]]     halfwarp, nearest_scan.svg; a .png by rsvg-convert
#
# Needs apt-get and dpkg-deb.
set -euo pipefail
halfwarp=${1:-halfwarp}
picture=$(realpath "${2:-nearest_scan.svg}")
case $halfwarp in */*) halfwarp=$(realpath "$halfwarp") ;; esac
tools="apt-get dpkg-deb"
case $picture in *.png) tools="$tools rsvg-convert" ;; esac
for tool in $tools "$halfwarp"; do
    command -v "$tool" > /dev/null || { echo "nearest_scan.sh: there is no $tool here" >&2; exit 1; }
done
K=8
examples=$(realpath "$(dirname "$0")")
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

# The scale of colours goes from half of the first quartile to four times the third.
read -r low high < <(cut -d ' ' -f 4 points.txt | sort -g |
    awk '{ value[NR] = $1 } END { print value[int(NR / 4)] / 2, value[int(NR * 3 / 4)] * 4 }')
awk -v low="$low" -v high="$high" -v k=$K -f "$examples/nearest_scan.awk" points.txt > picture.svg
case $picture in
    *.png) rsvg-convert -o "$picture" picture.svg ;;
    *) cp picture.svg "$picture" ;;
esac
echo "$picture"
