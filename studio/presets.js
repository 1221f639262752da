// The scenes of the page: initial conditions, smoke positions and initial values of the sliders. All numbers
// come from sums, products, quotients and square roots, which every JavaScript engine rounds in the same way.

/** Returns a number from 0 to 1 that depends on seed and index alone. */
export function random(seed, index) {
    let x = Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
    x = Math.imul(x ^ x >>> 16, 0x7feb352d);
    x = Math.imul(x ^ x >>> 15, 0x846ca68b);
    return ((x ^ x >>> 16) >>> 8) / 16777216;
}

/** Steps of a sequence that fills a cube evenly (powers of the root of x^4 = x + 1). */
const EVEN = [0.8191725133961645, 0.6710436067037893, 0.5497004779019703];

/**
 * Returns `count` points of a box that `isInside` accepts, evenly spread but in no order, as x y z in
 * sequence.
 */
function scatter(seed, count, low, high, isInside = () => true) {
    const points = new Float32Array(3 * count);
    const start = EVEN.map((_, axis) => random(seed, axis));
    let along = 1; // The number of points along an edge.
    while (along * along * along < count) ++along;
    for (let found = 0, index = 0; found < count; ++index) {
        const point = low.map((edge, axis) => {
            const place = start[axis] + index * EVEN[axis] + 1.5 / along * random(seed, 3 * index + axis + 3);
            return edge + (high[axis] - edge) * (place - Math.floor(place));
        });
        if (isInside(point)) points.set(point, 3 * found++);
    }
    return points;
}

/** Returns points around a circle, nearer to it than `thickness`; its axis is x (0) or z (2). */
function aroundCircle(seed, count, centre, axis, radius, thickness) {
    const reach = [0, 1, 2].map((i) => (i === axis ? thickness : radius + thickness));
    const isNear = (point) => {
        const [a, b] = [0, 1, 2].filter((i) => i !== axis).map((i) => point[i] - centre[i]);
        const along = point[axis] - centre[axis];
        const out = Math.sqrt(a * a + b * b) - radius;
        return out * out + along * along < thickness * thickness;
    };
    return scatter(seed, count, centre.map((c, i) => c - reach[i]), centre.map((c, i) => c + reach[i]), isNear);
}

function inBall(seed, count, centre, radius) {
    const isNear = (point) => point.reduce((sum, x, i) => sum + (x - centre[i]) * (x - centre[i]), 0) < radius * radius;
    return scatter(seed, count, centre.map((c) => c - radius), centre.map((c) => c + radius), isNear);
}

const share = (count, part) => Math.round(count * part);

function ring(world, smoke, { core_radius, seed, tracers }) {
    world.addInitial('VORTON_INITIAL_RING', {
        axis: [1, 0, 0], radius: 1, thickness: 0.5, circulation: 4, spacing: core_radius / 1.5, seed, position_disturbance: 0.3,
        strength_disturbance: 0.3,
    });
    smoke.add(aroundCircle(seed, share(tracers, 0.65), [0, 0, 0], 0, 1, 0.5), 0);
    smoke.add(aroundCircle(seed + 1, share(tracers, 0.35), [0, 0, 0], 0, 1, 0.2), 1);
}

function leapfrog(world, smoke, { seed, tracers }) {
    [-0.5, 0.5].forEach((x, i) => {
        world.addInitial('VORTON_INITIAL_FILAMENT_RING', {
            centre: [x, 0, 0], axis: [1, 0, 0], radius: 1, circulation: 2, count: 64, seed: seed + i, position_disturbance: 0.05,
        });
        smoke.add(aroundCircle(seed + i, share(tracers, 0.5), [x, 0, 0], 0, 1, 0.28), i);
    });
}

function drop(world, centre, density_deviation, { core_radius, seed }) {
    world.addInitial('VORTON_INITIAL_DENSITY_BALL', {
        centre, radius: 1, density_deviation, spacing: core_radius / 1.5, seed, position_disturbance: 0.5, strength_disturbance: 0.2,
    });
}

function inkDrop(world, smoke, settings) {
    drop(world, [0, 0, 0], 0.2, settings);
    smoke.add(inBall(settings.seed, settings.tracers, [0, 0, 0], 1), 0);
}

function twoDrops(world, smoke, settings) {
    [2, -2].forEach((z, i) => {
        drop(world, [0, 0, z], i === 0 ? 0.2 : -0.2, { ...settings, seed: settings.seed + i });
        smoke.add(inBall(settings.seed + i, share(settings.tracers, 0.5), [0, 0, z], 1), i);
    });
}

function ballThroughSmoke(world, smoke, { core_radius, seed, tracers }) {
    world.addInitial('VORTON_INITIAL_NOISE', {
        centre: [0, 0, 0], extent: [3, 1.2, 1.2], amplitude: 1e-4, spacing: core_radius / 1.5, seed,
    });
    smoke.add(scatter(seed, tracers, [-1.5, -0.5, -0.5], [1.5, 0.5, 0.5]), 0);
}

function ringOnFloor(world, smoke, { seed, tracers }) {
    const floor = world.createBody({ mass: 0 });
    floor.addShape('VORTON_SHAPE_HALF_SPACE');
    world.addInitial('VORTON_INITIAL_FILAMENT_RING', {
        centre: [0, 0, 0.9], axis: [0, 0, -1], radius: 0.7, circulation: 1.3, count: 96, seed, position_disturbance: 0.2,
    });
    smoke.add(aroundCircle(seed, share(tracers, 0.6), [0, 0, 0.9], 2, 0.7, 0.22), 0);
    smoke.add(scatter(seed + 1, share(tracers, 0.4), [-1.8, -1.8, 0], [1.8, 1.8, 0.06]), 1);
}

/** Lifetime of smoke and vortons of the campfire [s]. */
const FIRE_AGE = 3;

function campfire(world, smoke, { core_radius, seed, tracers }) {
    const spacing = core_radius / 1.5;
    world.createEmitter({
        extent: [0.4, 0.4, 0.1], rate: 250, volume: spacing * spacing * spacing, temperature: 420, seed,
        tracer_rate: 0.65 * tracers / FIRE_AGE, tracer_tag: 0,
    }, smoke);
    world.createEmitter({
        position: [1.4, 0, 0.3], rotation: [0, -0.5, 0, Math.sqrt(0.75)], rate: 0, nozzle_radius: 0.14, nozzle_speed: 1.6, seed,
        tracer_rate: 0.3 * tracers / FIRE_AGE, tracer_tag: 1,
    }, smoke);
}

/** Lifetime of smoke and vortons of the jet [s]. */
const JET_AGE = 4;

function jet(world, smoke, { seed, tracers }) {
    world.createEmitter({
        rotation: [0, Math.sqrt(0.5), 0, Math.sqrt(0.5)], rate: 0, nozzle_radius: 0.25, nozzle_speed: 2, seed,
        tracer_rate: 0.9 * tracers / JET_AGE,
    }, smoke);
}

/**
 * Half the tank's edges [m], its start position, and the angular frequency of its motion about the origin
 * [rad/s].
 */
export const TANK = { half: [0.667, 0.25, 0.5], start: [-0.4, 0, 0], swing: 2.4 };
/** Deviation of the lower layer's density, and difference from the upper layer's [kg/m^3]. */
const LAYER_DEVIATION = 0.4;

/** Adds two layers in a tank, and returns the tank. */
function layers(world, smoke, { core_radius, seed, tracers }) {
    const { half: [x, y, z], start } = TANK;
    const tank = world.createBody({ mass: 0, position: start });
    tank.addShape('VORTON_SHAPE_BOX', { half_extents: TANK.half, flags: 'VORTON_SHAPE_HOLE' });
    [-1, 1].forEach((side, i) => {
        const centre = [start[0], start[1], start[2] + 0.5 * side * z];
        world.addInitial('VORTON_INITIAL_DENSITY_BOX', {
            centre, extent: [2 * x, 2 * y, z], density_deviation: -side * LAYER_DEVIATION, spacing: core_radius / 1.5, seed: seed + i,
            position_disturbance: 0.2,
        });
        const reach = [x, y, 0.5 * z];
        smoke.add(scatter(seed + i, share(tracers, 0.5), centre.map((c, a) => c - reach[a]), centre.map((c, a) => c + reach[a])), i);
    });
    return tank;
}

const view = (distance, yaw, pitch, follows, target = [0, 0, 0]) => ({ distance, yaw, pitch, follows, target });

/**
 * By name: title, one sentence, fill(world, smoke, settings), which returns the tank if there is one, initial
 * slider values, position of the ball (null: no ball), the camera, and the fields of the world and of the
 * tracer set that differ from the defaults.
 */
export const presets = {
    campfire: {
        title: 'Campfire', text: 'Warm smoke rises and breaks up; a vent blows into it. Both go on as long as you look.', fill: campfire,
        settings: { core_radius: 0.12, gravity: -9.8, dt: 1 / 60, tracers: 50000, ball: 0 },
        world: { max_age: FIRE_AGE, smagorinsky: 0.1, ambient_temperature: 290, max_vortons: 6000 }, smoke: { max_age: FIRE_AGE },
        ball: { position: [-0.8, 0, 1], velocity: [0, 0, 0] }, camera: view(6.0, -1.57, 0.1, false, [0.3, 0, 1.6]),
    },
    ring: {
        title: 'Smoke ring', text: 'A ring with a thick core, slightly uneven, travels and sheds a wake.', fill: ring,
        settings: { core_radius: 0.2, gravity: 0, dt: 1 / 60, tracers: 40000, ball: 0 },
        ball: { position: [2.2, 0.4, 0], velocity: [0, 0, 0] }, camera: view(5.2, -0.95, 0.28, true),
    },
    leapfrog: {
        title: 'Leapfrog', text: 'Two rings on one axis pass through each other in turns.', fill: leapfrog,
        settings: { core_radius: 0.2, gravity: 0, dt: 1 / 60, tracers: 40000, ball: 0 },
        ball: { position: [2.5, 0, 0], velocity: [0, 0, 0] }, camera: view(5.4, -1.05, 0.25, true),
    },
    ink_drop: {
        title: 'Ink drop', text: 'Heavy fluid falls, rolls up into a ring and tears into wisps.', fill: inkDrop,
        settings: { core_radius: 0.24, gravity: -10, dt: 1 / 60, tracers: 40000, ball: 0 },
        ball: { position: [0, 0, -2.6], velocity: [0, 0, 0] }, camera: view(5.8, -1.57, 0.16, true),
    },
    two_drops: {
        title: 'Two drops', text: 'A heavy drop above, a light one below: they meet in the middle.', fill: twoDrops,
        settings: { core_radius: 0.3, gravity: -10, dt: 1 / 60, tracers: 40000, ball: 0 },
        ball: { position: [2.2, 0, 0], velocity: [0, 0, 0] }, camera: view(8.2, -1.4, 0.24, false),
    },
    ball: {
        title: 'Ball through smoke', text: 'A light ball flies through smoke at rest and is slowed down. Drag it.', fill: ballThroughSmoke,
        settings: { core_radius: 0.16, gravity: 0, dt: 1 / 60, tracers: 40000, ball: 1 },
        ball: { position: [-1.9, 0, 0], velocity: [2.2, 0, 0] }, camera: view(4.0, -1.35, 0.3, false),
    },
    floor: {
        title: 'Ring on a floor', text: 'A ring falls on a floor, spreads along it and drags dust with it.', fill: ringOnFloor,
        settings: { core_radius: 0.1, gravity: 0, dt: 1 / 60, tracers: 26000, ball: 0 },
        ball: { position: [1.6, 0, 0.35], velocity: [0, 0, 0] }, camera: view(4.6, -1.3, 0.42, false, [0, 0, 0.3]),
    },
    jet: {
        title: 'Jet', text: 'A nozzle blows into air at rest: rings roll up, pair and break up.', fill: jet,
        settings: { core_radius: 0.13, gravity: 0, dt: 1 / 60, tracers: 40000, ball: 0 },
        world: { max_age: JET_AGE, smagorinsky: 0.05, max_vortons: 6000 }, smoke: { max_age: JET_AGE },
        ball: { position: [2.4, 0, 0], velocity: [0, 0, 0] }, camera: view(5.2, -1.35, 0.25, false, [1.7, 0, -0.1]),
    },
    tank: {
        title: 'Tank', text: 'Two layers slosh in a tank that swings. Drag it: it stays where you leave it.', fill: layers,
        settings: { core_radius: 0.125, gravity: -10, dt: 1 / 60, tracers: 30000, ball: 0 },
        world: { viscosity: 1e-3, relaxation_rate: 0 }, ball: null, camera: view(3.4, -1.4, 0.2, false, [0, 0, -0.1]),
    },
};

/** Returns the initial settings of a preset with these changes. */
export function settingsOf(preset, changes = {}) {
    return { preset, seed: 1, ...presets[preset].settings, ...changes };
}
