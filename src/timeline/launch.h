// A launch that was counted, as the GPU's clock takes it.
#ifndef HW_TIMELINE_LAUNCH_H
#define HW_TIMELINE_LAUNCH_H

#include "model/time.h"
#include "timeline/timeline.h"

hw_timeline_launch hw_timeline_launch_of(const hw_gpu *gpu, const hw_time_work *work, const hw_estimate *estimate);

#endif
