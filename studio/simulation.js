// A running scene: a preset with settings, and a log of inputs by step. The same settings and log give the
// same bits in a page's worker, in node, and natively (test/native.c plays what vorton.js records).
import { presets, TANK } from './presets.js';

export const BALL_RADIUS = 0.25;
const BALL_MASS = 0.6;
/** Rate at which a dragged ball follows [1/s], and its largest speed [m/s]. */
const FOLLOW_RATE = 10;
const MAX_BALL_SPEED = 3;
/** Rate at which a dragged tank follows [1/s], and its largest acceleration along an axis [m/s^2]. */
const TANK_RATE = 8;
const MAX_TANK_ACCELERATION = 15;

/** Kinds of inputs in the log, with the count of their numbers. */
export const INPUTS = { drag: 3, release: 0, gravity: 1, dt: 1 };

export class Simulation {
    constructor(vorton, settings, log = []) {
        Object.assign(this, { vorton, settings, log: [...log], isReplay: true, played: 0, steps: 0, target: null, note: 0 });
        this.live = { gravity: settings.gravity, dt: settings.dt };
        this.preset = presets[settings.preset];
        const { core_radius, gravity } = settings;
        this.world = vorton.createWorld({ core_radius, gravity: [0, 0, gravity], max_vortons: 20000, ...this.preset.world });
        try {
            this.fill(settings);
        } catch (error) {
            if (error.code !== 'TRAP') this.destroy();
            throw error;
        }
        this.before = new Float32Array(3 * settings.tracers);
        this.idBefore = new Int32Array(settings.tracers).fill(-1);
        this.speeds = new Float32Array(settings.tracers);
        this.readSmoke();
    }

    fill(settings) {
        this.smoke = this.world.createTracers({ capacity: settings.tracers, ...this.preset.smoke });
        this.tank = this.preset.fill(this.world, this.smoke, settings) ?? null;
        this.tankBefore = this.tank?.read().position;
        this.ball = settings.ball ? this.addBall() : null;
    }

    addBall() {
        const ball = this.world.createBody({ mass: BALL_MASS, flags: 'VORTON_BODY_NO_THROUGH', ...this.preset.ball });
        ball.addShape('VORTON_SHAPE_SPHERE', { radius: BALL_RADIUS });
        this.world.removeEmbedded();
        return ball;
    }

    /** Records an input before the next step, and drops the inputs of a link's log not yet played. */
    input(kind, values = []) {
        if (this.isReplay) this.log.length = this.played;
        this.isReplay = false;
        this.log.push({ step: this.steps, kind, values: values.map(Math.fround) });
    }

    step() {
        while (this.log[this.played]?.step <= this.steps) this.apply(this.log[this.played++]);
        if (this.tank) this.moveTank();
        else if (this.target) this.follow();
        this.note = this.world.step(this.dt);
        this.steps += 1;
    }

    apply({ kind, values }) {
        if (kind === 'drag') this.target = (this.tank ?? this.ball) && values;
        else if (kind === 'release') this.target = this.tank && this.target;
        else [this.live[kind]] = values;
        if (kind === 'gravity') this.world.setGravity([0, 0, values[0]]);
    }

    get dt() {
        return this.live.dt;
    }

    /** Moves the ball towards the drag target; pushes by the fluid are ignored. */
    follow() {
        const { position, rotation } = this.ball.read();
        this.ball.takeImpulse();
        const way = this.target.map((x, i) => x - position[i]);
        const distance = Math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        const rate = Math.min(FOLLOW_RATE, MAX_BALL_SPEED / Math.max(distance, 1e-6));
        this.ball.setState({ position, rotation, velocity: way.map((x) => x * rate), angular_velocity: [0, 0, 0] });
    }

    /** Moves the tank to and fro along x until it is dragged; from then on towards the last drag target. */
    moveTank() {
        const { position, rotation, velocity } = this.tank.read();
        const [aim, rate, damping] = this.target ? [this.target, TANK_RATE, 2 * TANK_RATE] : [[0, 0, 0], TANK.swing, 0];
        const faster = velocity.map((speed, i) => {
            const acceleration = rate * rate * (aim[i] - position[i]) - damping * speed;
            return speed + this.dt * Math.min(Math.max(acceleration, -MAX_TANK_ACCELERATION), MAX_TANK_ACCELERATION);
        });
        this.tank.setState({ position, rotation, velocity: faster, angular_velocity: [0, 0, 0] });
    }

    /** Returns the displacement of the tank since the last call. */
    tankShift() {
        if (!this.tank) return [0, 0, 0];
        const { position } = this.tank.read();
        const shift = position.map((x, a) => x - this.tankBefore[a]);
        this.tankBefore = position;
        return shift;
    }

    /**
     * Returns the smoke as read by vorton.js, with the speed of each tracer since the last call. Previous
     * positions are stored by id, reusing slots of removed tracers. Speeds in a tank are relative to its
     * walls.
     */
    readSmoke() {
        const shift = this.tankShift();
        const smoke = this.smoke.read();
        const { before, idBefore, speeds } = this;
        const rate = 1 / Math.max((this.steps - this.readAt) * this.dt, 1e-6);
        for (let i = 0; i < smoke.count; ++i) {
            const place = smoke.ids[i] % idBefore.length;
            const [from, to] = [3 * place, 3 * i];
            const [x, y, z] = [0, 1, 2].map((a) => smoke.positions[to + a] - before[from + a] - shift[a]);
            speeds[i] = idBefore[place] === smoke.ids[i] ? Math.sqrt(x * x + y * y + z * z) * rate : 0;
            idBefore[place] = smoke.ids[i];
            for (let a = 0; a < 3; ++a) before[from + a] = smoke.positions[to + a];
        }
        this.readAt = this.steps;
        return { ...smoke, speeds: speeds.subarray(0, smoke.count) };
    }

    /**
     * True as long as the scene is the unchanged preset without inputs, so that its hashes are known.
     */
    get isAsGiven() {
        const given = this.preset.settings;
        return this.settings.seed === 1 && this.log.length === 0 && Object.keys(given).every((key) => given[key] === this.settings[key]);
    }

    destroy() {
        this.world.destroy();
    }
}
