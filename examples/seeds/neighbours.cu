// Seed 003, listing 7.1: each point's nearest neighbour, blocks of 128 points at a time in shared memory. As printed
// but for its headers; the host's half is ours.
//
//     halfwarp profile --gpu h200 examples/seeds/neighbours.cu
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ const int blockSize = 128;

__global__ void FindClosestGPU(float3 *points, int *indices, int count) {
    __shared__ float3 OtherBlocksPoints[128];
    if (count <= 1) return;
    int idx = threadIdx.x + blockIdx.x * blockSize;
    int indexOfClosest = -1;
    float3 thisPoint;
    if (idx < count) {
        thisPoint = points[idx];
    }
    float distanceToClosest = 3.40282e38f;
    for (int currentBlockOfPoints = 0; currentBlockOfPoints < gridDim.x; currentBlockOfPoints++) {
        if (threadIdx.x + currentBlockOfPoints * blockSize < count)
            OtherBlocksPoints[threadIdx.x] = points[threadIdx.x + (currentBlockOfPoints * blockSize)];
        __syncthreads();
        if (idx < count) {
            float *ptr = &OtherBlocksPoints[0].x;
            for (int i = 0; i < blockSize; i++) {
                float dist = (thisPoint.x - ptr[0]) * (thisPoint.x - ptr[0]);
                dist += (thisPoint.y - ptr[1]) * (thisPoint.y - ptr[1]);
                dist += (thisPoint.z - ptr[2]) * (thisPoint.z - ptr[2]);
                ptr += 3;
                if (dist < distanceToClosest && (i + currentBlockOfPoints * blockSize) < count &&
                    (i + currentBlockOfPoints * blockSize) != idx) {
                    distanceToClosest = dist;
                    indexOfClosest = (i + currentBlockOfPoints * blockSize);
                }
            }
        }
        __syncthreads();
    }
    if (idx < count) indices[idx] = indexOfClosest;
}

static float square(float3 a, float3 b) {
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? atoi(argv[1]) : 1000, blocks = (count + 127) / 128;
    std::vector<float3> points(count);
    std::vector<int> indices(count);
    unsigned state = 1;
    for (float3 &p : points) {     // whole numbers: distances are exact, however they are added
        float words[3];
        for (float &word : words) word = (float)((state = state * 1664525u + 1013904223u) >> 22);
        p = make_float3(words[0], words[1], words[2]);
    }
    float3 *d_points;
    int *d_indices, wrong = 0;
    cudaMalloc(&d_points, count * sizeof(float3));
    cudaMalloc(&d_indices, count * sizeof(int));
    cudaMemcpy(d_points, points.data(), count * sizeof(float3), cudaMemcpyHostToDevice);
    FindClosestGPU<<<blocks, 128>>>(d_points, d_indices, count);
    cudaMemcpy(indices.data(), d_indices, count * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++) {
        int best = -1;
        for (int j = 0; j < count; j++)
            if (j != i && (best < 0 || square(points[i], points[j]) < square(points[i], points[best]))) best = j;
        wrong += indices[i] != best;
    }
    printf("%d points, %d neighbours are wrong\n", count, wrong);
    return wrong != 0;
}
