#include "nn/autoencoder.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

decant_status decant__autoencoder_plan(decant__autoencoder *plan, size_t d, const size_t *sizes,
                                       size_t count) {
    *plan = (decant__autoencoder){.depth = count};
    plan->net.depth = 2 * count;
    size_t offset = 0;
    for (size_t l = 0; l < 2 * count; l++) {
        size_t mirror = 2 * count - 1 - l; /* decoder layer l undoes encoder layer `mirror` */
        decant__layer *layer = &plan->net.layer[l];
        if (l < count) {
            layer->in = l == 0 ? d : sizes[l - 1];
            layer->out = sizes[l];
        } else {
            layer->in = sizes[mirror];
            layer->out = mirror == 0 ? d : sizes[mirror - 1];
        }
        layer->relu = l != count - 1 && l != 2 * count - 1;
        if (layer->in > (SIZE_MAX / 64 - offset) / (layer->out + 1))
            return decant__fail(DECANT_EINVAL, "a layer of %zu x %zu weights is too large",
                                layer->in, layer->out);
        layer->weight = offset;
        layer->bias = offset + layer->in * layer->out;
        offset = layer->bias + layer->out;
    }
    plan->parameters = offset;
    return DECANT_OK;
}

void decant__autoencoder_sample(decant__autoencoder *plan, size_t sample) {
    plan->net.layer[0].lazy = 1;
    plan->net.layer[plan->net.depth - 1].sample = sample;
}

void decant__autoencoder_init(const decant__autoencoder *plan, double deviation, uint64_t seed,
                              uint64_t network, float *params) {
    for (size_t l = 0; l < plan->net.depth; l++) {
        const decant__layer *layer = &plan->net.layer[l];
        double scale = deviation > 0 ? deviation : sqrt(2.0 / (double)layer->in);
        memset(params + layer->bias, 0, layer->out * sizeof *params);
        if (l + 1 == plan->net.depth && !(deviation > 0)) {
            memset(params + layer->weight, 0, layer->in * layer->out * sizeof *params);
            continue;
        }
        decant__random random =
            decant__random_start(seed, DECANT__RANDOM_WEIGHTS, network * 2 * DECANT_MAX_LAYERS + l);
        for (size_t i = 0; i < layer->in * layer->out; i++)
            params[layer->weight + i] = (float)(scale * decant__random_normal(&random));
    }
}

decant__net decant__autoencoder_below(const decant__autoencoder *plan, size_t count) {
    decant__net net = plan->net;
    net.depth = count;
    return net;
}

decant__net decant__autoencoder_encoder(const decant__autoencoder *plan) {
    return decant__autoencoder_below(plan, plan->depth);
}

size_t decant__autoencoder_encoder_parameters(const decant__autoencoder *plan) {
    const decant__layer *last = &plan->net.layer[plan->depth - 1];
    return last->bias + last->out;
}

decant__net decant__autoencoder_stage(const decant__autoencoder *plan, size_t stage) {
    decant__net net = {.depth = 2};
    net.layer[0] = plan->net.layer[stage];
    net.layer[1] = plan->net.layer[plan->net.depth - 1 - stage];
    return net;
}
