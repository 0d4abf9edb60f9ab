# Points "x y z distance" as a picture: SVG, a path of dots for each of 64 colours. nearest_scan.sh gives it
# low, high   distances at the ends of the scale, which is logarithmic
# k           whose distance it is: of the k-th nearest neighbour

function digit(text, at) { return index("0123456789abcdef", substr(text, at, 1)) - 1 }
function byte(text, at) { return digit(text, at) * 16 + digit(text, at + 1) }
function mixed(i, part, at) { return int(byte(palette[i], at) * (1 - part) + byte(palette[i + 1], at) * part + 0.5) }

# Dark blue is near, red is far.
function colour(share,   i) {
    i = share < 1 ? int(share * 5) : 4
    return sprintf("#%02x%02x%02x", mixed(i, share * 5 - i, 1), mixed(i, share * 5 - i, 3), mixed(i, share * 5 - i, 5))
}

function share_of(value,   share) {
    share = value > 0 ? log(value / low) / log(high / low) : 0
    return share < 0 ? 0 : share > 1 ? 1 : share
}

function draw_points(   bin, i) {
    print "<g fill=\"none\" stroke-width=\"1\" shape-rendering=\"crispEdges\">"
    for (bin = 0; bin < BINS; bin++) {
        printf "<path stroke=\"%s\" d=\"", colour(bin / (BINS - 1))
        for (i = 1; i <= NR; i++)
            if (bins[i] == bin) printf "M%d %.1fh1", (x[i] - left) * scale + beside, int((y[i] - top) * scale) + 20.5
        print "\"/>"
    }
    print "</g>"
}

function draw_scale(height,   bin, i, ticks) {
    print "<g font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">"
    for (bin = 0; bin < BINS; bin++)
        printf "<rect x=\"%.2f\" y=\"%d\" width=\"8\" height=\"14\" fill=\"%s\"/>\n", WIDTH / 4 + bin * WIDTH / 2 / BINS,
            height - 72, colour(bin / (BINS - 1))
    split("0.05 0.1 0.2 0.5 1 2 5 10", ticks, " ")
    for (i = 1; i in ticks; i++)
        if (ticks[i] > low && ticks[i] < high)
            printf "<text x=\"%.1f\" y=\"%d\">%s</text>\n", WIDTH / 4 + WIDTH / 2 * share_of(ticks[i]), height - 42, ticks[i]
    printf "<text x=\"%d\" y=\"%d\">distance to the nearest neighbour of order %d, in the units of the scan</text>\n</g>\n",
        WIDTH / 2, height - 18, k
}

BEGIN {
    BINS = 64
    WIDTH = 1000
    split("30123b 4686fb 1ae4b6 a4fc3c fb7e21 7a0403", colours, " ")
    for (i = 1; i in colours; i++) palette[i - 1] = colours[i]
    # Seen from the front and a little from above.
    turn = 75 * atan2(0, -1) / 180
    tilt = 20 * atan2(0, -1) / 180
}

{
    x[NR] = $1 * cos(turn) + $2 * sin(turn)
    y[NR] = -($3 * cos(tilt) + ($2 * cos(turn) - $1 * sin(turn)) * sin(tilt))
    bins[NR] = int(share_of($4) * (BINS - 0.001))
    if (NR == 1 || x[NR] < left) left = x[NR]
    if (NR == 1 || x[NR] > right) right = x[NR]
    if (NR == 1 || y[NR] < top) top = y[NR]
    if (NR == 1 || y[NR] > bottom) bottom = y[NR]
}

END {
    scale = (WIDTH - 40) / (right - left)
    if (360 / (bottom - top) < scale) scale = 360 / (bottom - top)
    beside = (WIDTH - (right - left) * scale) / 2
    height = int((bottom - top) * scale) + 110
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", WIDTH, height,
        WIDTH, height
    printf "<title>Points of a scan, coloured by the distance to the nearest neighbour of order %d</title>\n", k
    print "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    draw_points()
    draw_scale(height)
    print "</svg>"
}
