// The vorton library in JavaScript: the C interface of include/vorton.h, compiled as WebAssembly, with
// classes for pages. For browsers, workers and node; no dependencies. Structs and constants have the names of
// the header:
//
//     import { load } from './vorton.js';
//     const vorton = await load('out/vorton.wasm');
//     const world = vorton.createWorld({ core_radius: 0.2 });
//     world.addInitial('VORTON_INITIAL_FILAMENT_RING', { radius: 1, circulation: 2 });
//     world.step(1 / 60);
//     const velocity = world.sample('VORTON_SAMPLE_VELOCITY', [0, 0, 1]);
//
// Arrays that are views of the library's memory are marked as views: copy them if they are needed after the
// next call.
import { constants, layouts } from './layouts.js';

export { constants, layouts };

/**
 * The error of a failed call. `code` is VORTON_ERR_...; 'TRAP' if the library stopped and must be loaded
 * again; 'LOAD' if it could not be loaded.
 */
export class VortonError extends Error {
    constructor(code, text) {
        super(text);
        this.name = 'VortonError';
        this.code = code;
    }
}

/** Compiles the library: `source` is an address, a Response, bytes or a WebAssembly.Module. */
export async function load(source) {
    try {
        const module = await compile(source);
        const imports = { vorton: { vorton_now_ms: () => performance.now() } };
        return new Vorton(await WebAssembly.instantiate(module, imports));
    } catch (error) {
        const name = typeof source === 'string' || source instanceof URL ? String(source) : 'the library';
        throw new VortonError('LOAD', `${name} could not be loaded: ${error.message}`);
    }
}

async function compile(source) {
    if (source instanceof WebAssembly.Module) return source;
    if (typeof source === 'string' || source instanceof URL) source = await fetch(source);
    if (!(typeof Response !== 'undefined' && source instanceof Response)) return WebAssembly.compile(source);
    if (!source.ok) throw new VortonError('LOAD', `${source.status} ${source.statusText}`);
    return WebAssembly.compile(await source.arrayBuffer());
}

const PAGE = 65536;

/**
 * Memory of this binding inside the library's memory: whole pages, which the library's allocator never uses.
 * Blocks are powers of two.
 */
class Arena {
    constructor(memory) {
        this.memory = memory;
        this.next = this.end = 0;
        this.free = new Map();
    }

    allocate(size) {
        const rounded = 2 ** Math.ceil(Math.log2(Math.max(size, 16)));
        const reused = this.free.get(rounded)?.pop();
        if (reused !== undefined) return reused;
        if (this.next + rounded > this.end) this.grow(rounded);
        this.next += rounded;
        return this.next - rounded;
    }

    grow(size) {
        const pages = Math.max(16, Math.ceil(size / PAGE));
        this.next = this.memory.grow(pages) * PAGE;
        this.end = this.next + pages * PAGE;
    }

    release(address, size) {
        const rounded = 2 ** Math.ceil(Math.log2(Math.max(size, 16)));
        if (!this.free.has(rounded)) this.free.set(rounded, []);
        this.free.get(rounded).push(address);
    }
}

const WRITE = {
    u8: ['setUint8', 1], u16: ['setUint16', 2], u32: ['setUint32', 4], i32: ['setInt32', 4], u64: ['setBigUint64', 8],
    f32: ['setFloat32', 4], f64: ['setFloat64', 8], ptr: ['setUint32', 4],
};
const READ = Object.fromEntries(Object.entries(WRITE).map(([kind, [name, size]]) => [kind, [name.replace('set', 'get'), size]]));

/** Returns a constant of the header by name, or a number unchanged. */
function number(value) {
    if (typeof value !== 'string') return value;
    if (!(value in constants)) throw new VortonError(constants.VORTON_ERR_BAD_VALUE, `no constant is named ${value}`);
    return constants[value];
}

function headerVersion() {
    const { VORTON_VERSION_MAJOR, VORTON_VERSION_MINOR, VORTON_VERSION_PATCH } = constants;
    return VORTON_VERSION_MAJOR << 24 | VORTON_VERSION_MINOR << 16 | VORTON_VERSION_PATCH << 8;
}

/** The library. */
export class Vorton {
    constructor(instance) {
        this.exports = instance.exports;
        this.memory = instance.exports.memory;
        this.arena = new Arena(this.memory);
        /**
         * A function called for each call that changes a world, with one line of words: see test/native.c.
         */
        this.recorder = null;
        this.scratch = this.arena.allocate(4096);
        this.call('vorton_check_abi', constants.VORTON_ABI_VERSION, headerVersion());
        this.build = this.text(this.exports.vorton_build_info());
    }

    get data() {
        if (this.view?.buffer !== this.memory.buffer) this.view = new DataView(this.memory.buffer);
        return this.view;
    }

    /** Calls a function that returns VortonResult. Notes are returned, errors thrown. */
    call(name, ...values) {
        if (this.stopped) throw this.stopped;
        let result;
        try {
            result = this.exports[name](...values);
        } catch (error) {
            this.stopped = new VortonError('TRAP', `${name}: ${this.lastError() || error.message}`);
            throw this.stopped;
        }
        if (result < 0) throw new VortonError(result, `${name}: ${this.lastError()}`);
        return result;
    }

    /** Returns the library's sentence about its last failure; after a trap, if it can still be read. */
    lastError() {
        const size = 1024;
        const buffer = this.arena.allocate(size);
        try {
            this.exports.vorton_last_error(buffer, size);
            return this.text(buffer);
        } catch {
            return '';
        } finally {
            this.arena.release(buffer, size);
        }
    }

    text(address) {
        const bytes = new Uint8Array(this.memory.buffer, address);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    }

    /** Runs `body` with the address of a struct filled by the library, with these fields changed. */
    withStruct(name, init, fields, body) {
        const { size } = layouts[name];
        const address = this.arena.allocate(size);
        try {
            new Uint8Array(this.memory.buffer, address, size).fill(0);
            if (init) this.call(init[0], address, size, ...init.slice(1));
            for (const [field, value] of Object.entries(fields)) this.write(name, address, field, value);
            return body(address);
        } finally {
            this.arena.release(address, size);
        }
    }

    write(name, address, field, value) {
        const place = layouts[name].fields[field];
        if (!place) throw new VortonError(constants.VORTON_ERR_BAD_VALUE, `${name} has no field ${field}`);
        const [offset, kind, count] = place;
        const [set, size] = WRITE[kind];
        const values = typeof value === 'object' ? Array.from(value) : [value];
        if (values.length !== count) throw new VortonError(constants.VORTON_ERR_BAD_VALUE, `${name}.${field} has ${count} numbers`);
        values.map(number).forEach((one, i) => {
            this.data[set](address + offset + i * size, kind === 'u64' ? BigInt(one) : one, true);
        });
    }

    /** Returns all fields of a struct; those of several numbers as arrays, u64 as BigInt. */
    read(name, address) {
        return Object.fromEntries(Object.entries(layouts[name].fields).map(([field, [offset, kind, count]]) => {
            const [get, size] = READ[kind];
            const values = Array.from({ length: count }, (_, i) => this.data[get](address + offset + i * size, true));
            return [field, count === 1 ? values[0] : values];
        }));
    }

    /** Returns the floats at `address` of the binding's memory: a view. */
    floats(address, count) {
        return new Float32Array(this.memory.buffer, address, count);
    }

    /** Runs `body` with memory of this many bytes. */
    withMemory(size, body) {
        const address = this.arena.allocate(size);
        try {
            return body(address);
        } finally {
            this.arena.release(address, size);
        }
    }

    /** Runs `body` with the address of a copy of these floats. */
    withFloats(values, body) {
        return this.withMemory(4 * values.length, (address) => {
            this.floats(address, values.length).set(values);
            return body(address);
        });
    }

    record(...words) {
        this.recorder?.(words.join(' '));
    }

    createWorld(fields = {}) {
        return new World(this, fields);
    }

    /** Returns the bytes allocated by the library, and other fields of VortonMemory. */
    memoryStats() {
        return this.withStruct('VortonMemory', ['vorton_memory_init'], {}, (address) => {
            this.call('vorton_memory', address);
            return this.read('VortonMemory', address);
        });
    }
}

/** Formats fields as words of a recording: name=value, several numbers with commas. */
function words(fields) {
    return Object.entries(fields).map(([name, value]) => {
        const values = typeof value === 'object' ? Array.from(value) : [value];
        return `${name}=${values.map(number).join(',')}`;
    });
}

/**
 * A fluid with everything in it. In recordings, the first object of each kind has number 0.
 */
export class World {
    constructor(vorton, fields) {
        this.vorton = vorton;
        this.id = vorton.arena.allocate(8);
        this.bodies = [];
        this.sets = [];
        this.emitters = [];
        vorton.withStruct('VortonWorldDef', ['vorton_world_def_init'], fields, (def) => {
            vorton.call('vorton_world_create', def, this.id);
        });
        vorton.record('world', ...words(fields));
    }

    /** Adds vortons; returns their number. */
    addInitial(type, fields = {}) {
        const { vorton, id } = this;
        const init = ['vorton_initial_def_init', number(type)];
        vorton.record('initial', number(type), ...words(fields));
        return vorton.withStruct('VortonInitialDef', init, fields, (def) => {
            vorton.call('vorton_world_add_initial', id, def, 0, vorton.scratch);
            return vorton.data.getUint32(vorton.scratch, true);
        });
    }

    createTracers(fields = {}) {
        this.sets.push(new Tracers(this, this.sets.length, fields));
        return this.sets.at(-1);
    }

    /** Creates an emitter, which also adds tracers to `set`, and which `body` carries, if given. */
    createEmitter(fields = {}, set = null, body = null) {
        this.emitters.push(new Emitter(this, this.emitters.length, fields, set, body));
        return this.emitters.at(-1);
    }

    createBody(fields = {}) {
        this.bodies.push(new Body(this, this.bodies.length, fields));
        return this.bodies.at(-1);
    }

    /** Adds vortons around bodies for them to stir; returns their number. */
    surround(fields = {}) {
        const { vorton, id } = this;
        vorton.record('surround', ...words(fields));
        return vorton.withStruct('VortonSurroundDef', ['vorton_surround_def_init'], fields, (def) => {
            vorton.call('vorton_bodies_surround', id, def, 0, vorton.scratch);
            return vorton.data.getUint32(vorton.scratch, true);
        });
    }

    /** Removes vortons and tracers inside bodies. */
    removeEmbedded(margin = 0) {
        this.vorton.record('embedded', margin);
        this.vorton.call('vorton_world_remove_embedded', this.id, margin, 0, 0);
    }

    step(dt) {
        this.vorton.record('step', dt);
        return this.vorton.call('vorton_world_step', this.id, dt);
    }

    /** Advances in as many equal steps as the flow needs; returns their number. */
    advance(dt, maxStretch, maxSteps) {
        const { vorton } = this;
        vorton.record('advance', dt, maxStretch, maxSteps);
        vorton.call('vorton_world_advance', this.id, dt, maxStretch, maxSteps, vorton.scratch);
        return vorton.data.getUint32(vorton.scratch, true);
    }

    setGravity(gravity) {
        this.vorton.record('gravity', ...gravity);
        this.vorton.withFloats(gravity, (address) => this.vorton.call('vorton_world_set_gravity', this.id, address));
    }

    setWind(wind) {
        this.vorton.record('wind', ...wind);
        this.vorton.withFloats(wind, (address) => this.vorton.call('vorton_world_set_wind', this.id, address));
    }

    setDiffusion(viscosity, diffusivity) {
        this.vorton.record('diffusion', viscosity, diffusivity);
        this.vorton.call('vorton_world_set_diffusion', this.id, viscosity, diffusivity);
    }

    /** Returns the hash of vortons, bodies and time, as 16 digits. */
    hash() {
        return this.hashOf('vorton_world_hash');
    }

    /** Returns the hash of the whole snapshot, tracers included. */
    hashAll() {
        return this.hashOf('vorton_world_hash_all');
    }

    hashOf(name) {
        this.vorton.call(name, this.id, this.vorton.scratch);
        return this.vorton.data.getBigUint64(this.vorton.scratch, true).toString(16).padStart(16, '0');
    }

    /** Samples a quantity at points (x y z in sequence): a copy. */
    sample(quantity, points) {
        const { vorton, id } = this;
        const kind = number(quantity);
        const isVector = kind === constants.VORTON_SAMPLE_VELOCITY || kind === constants.VORTON_SAMPLE_VORTICITY;
        const [count, width] = [points.length / 3, isVector ? 3 : 1];
        return vorton.withFloats(points, (at) => vorton.withMemory(4 * width * count, (out) => {
            vorton.call('vorton_world_sample', id, kind, at, 12, out, 4 * width, count);
            return vorton.floats(out, width * count).slice();
        }));
    }

    /** Returns the vortons: a DataView of count structs VortonVorton. */
    vortons() {
        const { vorton, id } = this;
        vorton.call('vorton_vortons_read', id, 0, 0, vorton.scratch);
        const count = vorton.data.getUint32(vorton.scratch, true);
        const size = count * layouts.VortonVorton.size;
        return vorton.withMemory(size, (address) => {
            vorton.call('vorton_vortons_read', id, address, count, vorton.scratch);
            return { count, data: new DataView(vorton.memory.buffer.slice(address, address + size)) };
        });
    }

    /** Returns all fields of VortonStats. */
    stats() {
        return this.readWhole('VortonStats', 'vorton_stats_init', 'vorton_world_stats');
    }

    /** Returns the bytes allocated by this world, and other fields of VortonMemory. */
    memoryStats() {
        return this.readWhole('VortonMemory', 'vorton_memory_init', 'vorton_world_memory');
    }

    /** Returns all fields of VortonInvariants. */
    invariants() {
        return this.readWhole('VortonInvariants', 'vorton_invariants_init', 'vorton_world_invariants');
    }

    readWhole(name, init, read) {
        return this.vorton.withStruct(name, [init], {}, (address) => {
            this.vorton.call(read, this.id, address);
            return this.vorton.read(name, address);
        });
    }

    /** Returns a snapshot as a copy of its bytes. */
    save() {
        const { vorton, id } = this;
        vorton.call('vorton_world_save', id, 0, 0, vorton.scratch);
        const size = vorton.data.getUint32(vorton.scratch, true);
        return vorton.withMemory(size, (address) => {
            vorton.call('vorton_world_save', id, address, size, vorton.scratch);
            return new Uint8Array(vorton.memory.buffer, address, size).slice();
        });
    }

    /** Restores a snapshot. */
    restore(bytes) {
        const { vorton, id } = this;
        vorton.withMemory(bytes.length, (address) => {
            new Uint8Array(vorton.memory.buffer, address, bytes.length).set(bytes);
            vorton.call('vorton_world_restore', id, address, bytes.length);
        });
    }

    destroy() {
        this.vorton.record('destroy');
        this.vorton.call('vorton_world_destroy', this.id);
        this.vorton.arena.release(this.id, 8);
        [...this.sets, ...this.bodies, ...this.emitters].forEach((one) => one.forget());
    }
}

const TRACER_COLUMNS = [['positions', Float32Array, 3], ['ids', Uint32Array, 1], ['tags', Uint32Array, 1], ['ages', Float32Array, 1],
    ['values', Float32Array, 1]];

/** A set of tracers: points that move with the flow. */
export class Tracers {
    constructor(world, index, fields) {
        const { vorton } = world;
        Object.assign(this, { world, vorton, index, id: vorton.arena.allocate(8), memory: null });
        vorton.withStruct('VortonTracersDef', ['vorton_tracers_def_init'], fields, (def) => {
            vorton.call('vorton_tracers_create', world.id, def, this.id);
            this.capacity = vorton.read('VortonTracersDef', def).capacity;
        });
        vorton.record('tracers', ...words(fields));
    }

    /** Adds tracers at positions (x y z in sequence), with one tag for all. */
    add(positions, tag = 0) {
        const { vorton, world } = this;
        const count = positions.length / 3;
        vorton.withFloats(positions, (at) => vorton.withMemory(4 * count, (tags) => {
            new Uint32Array(vorton.memory.buffer, tags, count).fill(tag);
            vorton.call('vorton_tracers_add', world.id, this.id, at, tags, 0, count);
        }));
        if (vorton.recorder) vorton.record('add', this.index, tag, count, ...positions);
    }

    /** Adds tracers where density deviates from the ambient; returns their number. */
    addImplied(fields = {}) {
        const { vorton, world } = this;
        vorton.record('implied', this.index, ...words(fields));
        return vorton.withStruct('VortonImpliedDef', ['vorton_implied_def_init'], fields, (def) => {
            vorton.call('vorton_tracers_add_implied', world.id, this.id, def, vorton.scratch);
            return vorton.data.getUint32(vorton.scratch, true);
        });
    }

    /**
     * Returns { count, positions, ids, tags, ages, values }: views, valid until the next call of any kind.
     * 
     */
    read() {
        const { vorton, world, capacity } = this;
        this.memory ??= vorton.arena.allocate(28 * capacity);
        let at = this.memory;
        const columns = TRACER_COLUMNS.map(([, , width]) => (at += 4 * width * capacity) - 4 * width * capacity);
        const [positions, ids, tags, ages, values] = columns;
        vorton.call('vorton_tracers_read', world.id, this.id, positions, 12, ids, tags, ages, values, capacity, vorton.scratch);
        const count = vorton.data.getUint32(vorton.scratch, true);
        const view = ([name, Column, width], i) => [name, new Column(vorton.memory.buffer, columns[i], width * count)];
        return { count, ...Object.fromEntries(TRACER_COLUMNS.map(view)) };
    }

    forget() {
        this.vorton.arena.release(this.id, 8);
        if (this.memory !== null) this.vorton.arena.release(this.memory, 28 * this.capacity);
    }
}

/**
 * Emits vortons and tracers. Fields are those of VortonEmitterDef. A jet stops with { nozzle_speed: 0,
 * tracer_rate: 0 }, a box emitter with { rate: 0, tracer_rate: 0 }, and restarts with the previous numbers.
 */
export class Emitter {
    constructor(world, index, fields, set, body) {
        const { vorton } = world;
        Object.assign(this, { world, vorton, index, id: vorton.arena.allocate(8) });
        const all = { ...fields, ...this.naming('tracers', set), ...this.naming('body', body) };
        vorton.withStruct('VortonEmitterDef', ['vorton_emitter_def_init'], all, (def) => {
            vorton.call('vorton_emitter_create', world.id, def, this.id);
        });
        vorton.record('emitter', set ? set.index : -1, body ? body.index : -1, ...words(fields));
    }

    /** The field `name`, which names this set or body; null: none; undefined: no field. */
    naming(name, one) {
        if (one === undefined) return {};
        return { [name]: [0, 4].map((at) => (one ? this.vorton.data.getUint32(one.id + at, true) : 0)) };
    }

    /** Returns the present definition: all fields of VortonEmitterDef. */
    read() {
        return this.withDefinition({}, (def) => this.vorton.read('VortonEmitterDef', def));
    }

    /**
     * Changes these fields; the others stay. With `set` it adds tracers to that set from now on, with null
     * to none. With `body` that carries it from now on, with null none does.
     */
    update(fields, set = undefined, body = undefined) {
        const { vorton, world } = this;
        const all = { ...fields, ...this.naming('tracers', set), ...this.naming('body', body) };
        this.withDefinition(all, (def) => {
            vorton.call('vorton_emitter_update', world.id, this.id, def);
        });
        const [from, on] = [set, body].map((one) => (one === undefined ? 'same' : one?.index ?? -1));
        vorton.record('emitter_update', this.index, from, on, ...words(fields));
    }

    /** Runs `body` with the address of its definition with these fields changed. */
    withDefinition(fields, body) {
        const { vorton, world } = this;
        return vorton.withStruct('VortonEmitterDef', null, {}, (def) => {
            vorton.call('vorton_emitter_def', world.id, this.id, def, layouts.VortonEmitterDef.size);
            for (const [field, value] of Object.entries(fields)) vorton.write('VortonEmitterDef', def, field, value);
            return body(def);
        });
    }

    /** Changes the pose from the next step on. */
    setPose(position, rotation = [0, 0, 0, 1]) {
        const { vorton, world } = this;
        vorton.withFloats([...position, ...rotation], (at) => vorton.call('vorton_emitter_set_pose', world.id, this.id, at, at + 12));
        vorton.record('emitter_pose', this.index, ...position, ...rotation);
    }

    /** Changes the rate [vortons per second]. */
    setRate(rate) {
        this.vorton.call('vorton_emitter_set_rate', this.world.id, this.id, rate);
        this.vorton.record('emitter_rate', this.index, rate);
    }

    /** Emits this many extra vortons at the beginning of the next step. */
    burst(count) {
        this.vorton.call('vorton_emitter_burst', this.world.id, this.id, count);
        this.vorton.record('emitter_burst', this.index, count);
    }

    get isValid() {
        return this.vorton.call('vorton_emitter_is_valid', this.world.id, this.id) !== 0;
    }

    /** Destroys the emitter; its vortons and tracers stay. */
    destroy() {
        this.vorton.call('vorton_emitter_destroy', this.world.id, this.id);
        this.vorton.record('emitter_destroy', this.index);
    }

    forget() {
        this.vorton.arena.release(this.id, 8);
    }
}

/** A rigid body. Its shapes are added in coordinates about its centre of mass. */
export class Body {
    constructor(world, index, fields) {
        const { vorton } = world;
        Object.assign(this, { world, vorton, index, id: vorton.arena.allocate(8) });
        vorton.withStruct('VortonBodyDef', ['vorton_body_def_init'], fields, (def) => {
            vorton.call('vorton_body_create', world.id, def, this.id);
        });
        vorton.record('body', ...words(fields));
    }

    addShape(type, fields = {}) {
        const { vorton, world } = this;
        vorton.record('shape', this.index, number(type), ...words(fields));
        vorton.withStruct('VortonShapeDef', ['vorton_shape_def_init', number(type)], fields, (def) => {
            vorton.call('vorton_shape_create', world.id, this.id, def, 0);
        });
    }

    /** Sets the state: { position, rotation, velocity, angular_velocity }. */
    setState(state) {
        this.vorton.record('state', this.index, ...words(state));
        this.vorton.withStruct('VortonBodyState', null, state, (address) => {
            this.vorton.call('vorton_body_set_state', this.world.id, this.id, address);
        });
    }

    read() {
        return this.vorton.withStruct('VortonBodyState', null, {}, (address) => {
            this.vorton.call('vorton_body_read', this.world.id, this.id, address);
            return this.vorton.read('VortonBodyState', address);
        });
    }

    /** Takes the impulses from the fluid since the last call: all fields of VortonBodyImpulse. */
    takeImpulse() {
        this.vorton.record('take', this.index);
        return this.vorton.withStruct('VortonBodyImpulse', null, {}, (address) => {
            this.vorton.call('vorton_body_take_impulse', this.world.id, this.id, address);
            return this.vorton.read('VortonBodyImpulse', address);
        });
    }

    forget() {
        this.vorton.arena.release(this.id, 8);
    }
}
