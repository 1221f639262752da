/*
 * vorton.hpp - vorton.h for C++: owners that clean up, particles described by member pointers, a status for
 * every call. C++11 and later.
 *
 * Header only. vorton.h documents every call. Needs no exceptions, no RTTI, no heap and no C++ runtime
 * library. MIT OR Apache-2.0.
 *
 *     vorton::Result<vorton::World> made = vorton::World::create();
 *     if (!made) return fail(made.status().text().c_str());
 *     vorton::World world = made.take();
 *     if (!world.add_initial(vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING))) return 1;
 *     if (!world.step(1.0f / 60.0f)) return 1;
 *
 *     vorton::View<Particle> view(particles.data(), particles.size());
 *     view.bind<VORTON_POSITION>(&Particle::position).bind<VORTON_VELOCITY>(&Particle::velocity);
 *     if (!ops.run(view, dt, frame)) return 1;
 *
 * Conventions
 * - Owners (World, Body, Shape, Emitter, Tracers, Op) are moved, not copied, and destroy their object. A
 *   default-constructed or moved-from owner owns nothing; calls on it return VORTON_ERR_STALE_ID. A child
 *   refers to its world by id: it may outlive the world's owner, and its destructor then does nothing. The
 *   same holds if vorton_world_reset, a restored snapshot or vorton.h has destroyed the object: check
 *   is_valid().
 * - World::restore restores ids, too: an object created since the snapshot is gone, and its id goes to the
 *   next object created, which its owner would then destroy. So release() the owners of objects created since
 *   the snapshot before restoring it, and afterwards make owners, Body(world, id), of those destroyed since.
 * - A destructor cannot return a status. If another thread uses the world at that time (VORTON_ERR_BUSY), the
 *   object stays until its world is destroyed. destroy() returns the status.
 * - Functions that create or find something return Result: a Status and a value, which is empty or zero after
 *   a failure. From C++17 on the compiler warns if a Status or a Result is ignored.
 */
#ifndef VORTON_HPP
#define VORTON_HPP

#include "vorton.h"

#include <stddef.h>
#include <stdint.h>
#include <type_traits>
#include <utility>

#if __cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
# define VORTON_NODISCARD_TYPE [[nodiscard]]
#else
# define VORTON_NODISCARD_TYPE
#endif

namespace vorton {

/* A copy of the sentence about a failure. */
class ErrorText {
  public:
    const char *c_str() const noexcept { return text_; }

  private:
    friend class Status;
    char text_[512];
};

/* The result of a call. True: done, perhaps with a note. False: failed, and nothing has changed. */
class VORTON_NODISCARD_TYPE Status {
  public:
    constexpr Status() noexcept : code_(VORTON_OK) {}
    constexpr Status(VortonResult code) noexcept : code_(code) {}
    constexpr explicit operator bool() const noexcept { return code_ >= 0; }
    constexpr VortonResult code() const noexcept { return code_; }
    constexpr bool has_note() const noexcept { return code_ > 0; }
    /* The name of the result code, such as "VORTON_ERR_NULL". */
    const char *name() const noexcept { return vorton_result_name(code_); }
    /* The library's sentence about this thread's last failure: call it before another call fails. The name if
     * nothing failed. */
    ErrorText text() const noexcept {
        ErrorText text;
        if (code_ < 0) {
            (void)vorton_last_error(text.text_, sizeof text.text_);
        } else {
            size_t i = 0;
            for (const char *from = name(); from[i] != 0 && i + 1 < sizeof text.text_; ++i)
                text.text_[i] = from[i];
            text.text_[i] = 0;
        }
        return text;
    }

  private:
    VortonResult code_;
};

/* A Status and a value, which is T() after a failure. */
template <class T> class VORTON_NODISCARD_TYPE Result {
  public:
    Result(Status status, T &&value) noexcept : status_(status), value_(static_cast<T &&>(value)) {}
    explicit operator bool() const noexcept { return static_cast<bool>(status_); }
    Status status() const noexcept { return status_; }
    T &value() noexcept { return value_; }
    const T &value() const noexcept { return value_; }
    T *operator->() noexcept { return &value_; }
    const T *operator->() const noexcept { return &value_; }
    T &operator*() noexcept { return value_; }
    const T &operator*() const noexcept { return value_; }
    /* Moves the value out. */
    T take() noexcept { return static_cast<T &&>(value_); }

  private:
    Status status_;
    T value_;
};

namespace detail {

template <class T> Result<T> result(VortonResult code, T value) noexcept {
    return Result<T>(Status(code), code < 0 ? T() : static_cast<T &&>(value));
}

/* Owns one object of a world. `Traits` defines the id type, destruction and the validity check. */
template <class Traits> class Owner {
  public:
    typedef typename Traits::Id Id;

    Owner() noexcept : world_(), id_() {}
    /* Takes ownership of an object created with vorton.h. */
    Owner(VortonWorldId world, Id id) noexcept : world_(world), id_(id) {}
    Owner(Owner &&other) noexcept : world_(other.world_), id_(other.release()) {}
    Owner &operator=(Owner &&other) noexcept {
        if (this != &other) {
            (void)destroy();
            world_ = other.world_;
            id_ = other.release();
        }
        return *this;
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    ~Owner() { (void)destroy(); }

    /* True if it owns an object, which may have been destroyed with its world. */
    explicit operator bool() const noexcept { return id_.index1 != 0; }
    /* True if the object is alive. Does not wait for a step. */
    bool is_valid() const noexcept { return Traits::lives(world_, id_); }
    Id id() const noexcept { return id_; }
    VortonWorldId world() const noexcept { return world_; }
    /* Releases the object without destroying it. */
    Id release() noexcept {
        const Id id = id_;
        id_ = Id();
        return id;
    }
    /* Destroys the object now. Does nothing if there is none, or if it was destroyed with its world or body,
     * or in a reset. */
    Status destroy() noexcept {
        if (id_.index1 == 0) return Status();
        if (!Traits::lives(world_, id_)) {
            id_ = Id();
            return Status();
        }
        const Status status = Traits::destroy(world_, id_);
        if (!status && status.code() != VORTON_ERR_STALE_ID) return status;
        id_ = Id();
        return Status();
    }

  private:
    VortonWorldId world_;
    Id id_;
};

struct BodyTraits {
    typedef VortonBodyId Id;
    static bool lives(VortonWorldId world, Id id) noexcept { return vorton_body_is_valid(world, id); }
    static VortonResult destroy(VortonWorldId world, Id id) noexcept {
        return vorton_body_destroy(world, id);
    }
};
struct ShapeTraits {
    typedef VortonShapeId Id;
    static bool lives(VortonWorldId world, Id id) noexcept { return vorton_shape_is_valid(world, id); }
    static VortonResult destroy(VortonWorldId world, Id id) noexcept {
        return vorton_shape_destroy(world, id);
    }
};
struct EmitterTraits {
    typedef VortonEmitterId Id;
    static bool lives(VortonWorldId world, Id id) noexcept { return vorton_emitter_is_valid(world, id); }
    static VortonResult destroy(VortonWorldId world, Id id) noexcept {
        return vorton_emitter_destroy(world, id);
    }
};
struct TracersTraits {
    typedef VortonTracersId Id;
    static bool lives(VortonWorldId world, Id id) noexcept { return vorton_tracers_is_valid(world, id); }
    static VortonResult destroy(VortonWorldId world, Id id) noexcept {
        return vorton_tracers_destroy(world, id);
    }
};
struct OpTraits {
    typedef VortonOpId Id;
    static bool lives(VortonWorldId world, Id id) noexcept { return vorton_op_is_valid(world, id); }
    static VortonResult destroy(VortonWorldId world, Id id) noexcept { return vorton_op_destroy(world, id); }
};

} // namespace detail

/* Owns a shape of a body. Optional: a body's shapes are destroyed with the body. */
class Shape : public detail::Owner<detail::ShapeTraits> {
  public:
    Shape() noexcept {}
    Shape(VortonWorldId world, VortonShapeId id) noexcept : Owner(world, id) {}
    Status set_user_data(uint64_t user_data) noexcept {
        return vorton_shape_set_user_data(world(), id(), user_data);
    }
    Result<uint64_t> user_data() const noexcept {
        uint64_t user_data = 0;
        const VortonResult code = vorton_shape_user_data(world(), id(), &user_data);
        return detail::result(code, user_data);
    }
};

/* Owns an emitter. */
class Emitter : public detail::Owner<detail::EmitterTraits> {
  public:
    Emitter() noexcept {}
    Emitter(VortonWorldId world, VortonEmitterId id) noexcept : Owner(world, id) {}
    Status set_pose(VortonVec3 position, VortonQuat rotation) noexcept {
        return vorton_emitter_set_pose(world(), id(), position, rotation);
    }
    Status set_rate(float rate) noexcept { return vorton_emitter_set_rate(world(), id(), rate); }
    Result<VortonEmitterDef> def() const noexcept {
        VortonEmitterDef def = VortonEmitterDef();
        const VortonResult code = vorton_emitter_def(world(), id(), &def, sizeof def);
        return detail::result(code, def);
    }
    Status update(const VortonEmitterDef &def) noexcept {
        return vorton_emitter_update(world(), id(), &def);
    }
    Status set_user_data(uint64_t user_data) noexcept {
        return vorton_emitter_set_user_data(world(), id(), user_data);
    }
    Result<uint64_t> user_data() const noexcept {
        uint64_t user_data = 0;
        const VortonResult code = vorton_emitter_user_data(world(), id(), &user_data);
        return detail::result(code, user_data);
    }
    Status burst(uint32_t count) noexcept { return vorton_emitter_burst(world(), id(), count); }
};

/* Owns a set of tracers. */
class Tracers : public detail::Owner<detail::TracersTraits> {
  public:
    Tracers() noexcept {}
    Tracers(VortonWorldId world, VortonTracersId id) noexcept : Owner(world, id) {}
    Status add(const VortonVec3 *positions, size_t count, const uint32_t *tags = nullptr,
               const float *values = nullptr) noexcept {
        return vorton_tracers_add(world(), id(), positions, tags, values, count);
    }
    /* Returns the number of tracers added. */
    Result<size_t> add_implied(const VortonImpliedDef &def = vorton_default_implied_def()) noexcept {
        size_t count = 0;
        const VortonResult code = vorton_tracers_add_implied(world(), id(), &def, &count);
        return detail::result(code, count);
    }
    Status clear() noexcept { return vorton_tracers_clear(world(), id()); }
    Result<VortonTracersDef> def() const noexcept {
        VortonTracersDef def = VortonTracersDef();
        const VortonResult code = vorton_tracers_def(world(), id(), &def, sizeof def);
        return detail::result(code, def);
    }
    Status set_max_age(float max_age) noexcept {
        return vorton_tracers_set_max_age(world(), id(), max_age);
    }
    Status set_turbulence(float turbulence) noexcept {
        return vorton_tracers_set_turbulence(world(), id(), turbulence);
    }
    Status set_user_data(uint64_t user_data) noexcept {
        return vorton_tracers_set_user_data(world(), id(), user_data);
    }
    Result<uint64_t> user_data() const noexcept {
        uint64_t user_data = 0;
        const VortonResult code = vorton_tracers_user_data(world(), id(), &user_data);
        return detail::result(code, user_data);
    }
    /* Returns the number of tracers. */
    Result<size_t> count() const noexcept {
        size_t count = 0;
        const VortonResult code =
            vorton_tracers_read(world(), id(), nullptr, 0, nullptr, nullptr, nullptr, nullptr, 0, &count);
        return detail::result(code, count);
    }
    /* As vorton_tracers_read. */
    Status read(float *positions, uint32_t position_stride, uint32_t *ids, uint32_t *tags, float *ages,
                float *values, size_t capacity, size_t *out_count) const noexcept {
        return vorton_tracers_read(world(), id(), positions, position_stride, ids, tags, ages, values,
                                   capacity, out_count);
    }
    /* As vorton_tracers_acquire. */
    Result<VortonTracerRows> acquire() const noexcept {
        VortonTracerRows rows = VortonTracerRows();
        const VortonResult code = vorton_tracers_acquire(world(), id(), &rows, sizeof rows);
        return detail::result(code, rows);
    }
    Status release(const VortonTracerRows &rows) const noexcept {
        return vorton_tracers_release(world(), rows.lease);
    }
};

/* Owns a body in the fluid, the counterpart of a body in your physics engine. */
class Body : public detail::Owner<detail::BodyTraits> {
  public:
    Body() noexcept {}
    Body(VortonWorldId world, VortonBodyId id) noexcept : Owner(world, id) {}
    /* Adds a shape that lives as long as the body. */
    Status add_shape(const VortonShapeDef &def) noexcept {
        return vorton_shape_create(world(), id(), &def, nullptr);
    }
    /* Adds a shape that is destroyed with its owner. */
    Result<Shape> create_shape(const VortonShapeDef &def) noexcept {
        VortonShapeId shape = VortonShapeId();
        const VortonResult code = vorton_shape_create(world(), id(), &def, &shape);
        return detail::result(code, Shape(world(), shape));
    }
    /* As vorton_body_shapes: all ids and their number, also when they do not fit. */
    Status shapes(VortonShapeId *out, size_t capacity, size_t *out_count) const noexcept {
        return vorton_body_shapes(world(), id(), out, capacity, out_count);
    }
    Result<uint32_t> number() const noexcept {
        uint32_t number = 0;
        const VortonResult code = vorton_body_number(world(), id(), &number);
        return detail::result(code, number);
    }
    Status set_state(const VortonBodyState &state) noexcept {
        return vorton_body_set_state(world(), id(), &state);
    }
    Status place(const VortonBodyState &state) noexcept { return vorton_body_place(world(), id(), &state); }
    Result<VortonBodyState> read() const noexcept {
        VortonBodyState state = VortonBodyState();
        const VortonResult code = vorton_body_read(world(), id(), &state);
        return detail::result(code, state);
    }
    Result<VortonBodyImpulse> take_impulse() noexcept {
        VortonBodyImpulse impulse = VortonBodyImpulse();
        const VortonResult code = vorton_body_take_impulse(world(), id(), &impulse);
        return detail::result(code, impulse);
    }
    Status set_temperature(float temperature) noexcept {
        return vorton_body_set_temperature(world(), id(), temperature);
    }
    Result<VortonBodyDef> def() const noexcept {
        VortonBodyDef def = VortonBodyDef();
        const VortonResult code = vorton_body_def(world(), id(), &def, sizeof def);
        return detail::result(code, def);
    }
    Status set_user_data(uint64_t user_data) noexcept {
        return vorton_body_set_user_data(world(), id(), user_data);
    }
    Result<uint64_t> user_data() const noexcept {
        uint64_t user_data = 0;
        const VortonResult code = vorton_body_user_data(world(), id(), &user_data);
        return detail::result(code, user_data);
    }
    Status set_awake(bool awake) noexcept { return vorton_body_set_awake(world(), id(), awake); }
    Result<bool> is_awake() const noexcept {
        bool awake = false;
        const VortonResult code = vorton_body_is_awake(world(), id(), &awake);
        return detail::result(code, awake);
    }
    Status set_heat_transfer(float heat_transfer) noexcept {
        return vorton_body_set_heat_transfer(world(), id(), heat_transfer);
    }
    Status set_heat_capacity(float heat_capacity) noexcept {
        return vorton_body_set_heat_capacity(world(), id(), heat_capacity);
    }
    Status set_mass(float mass) noexcept { return vorton_body_set_mass(world(), id(), mass); }
    Status set_inertia(const float (&inertia)[9]) noexcept {
        return vorton_body_set_inertia(world(), id(), inertia);
    }
    /* Computes the inertia from the shapes again. */
    Status clear_inertia() noexcept { return vorton_body_set_inertia(world(), id(), nullptr); }
    Status added_inertia(float (&out)[21]) noexcept { return vorton_body_added_inertia(world(), id(), out); }
};

class Columns;

/* Owns a particle operation. */
class Op : public detail::Owner<detail::OpTraits> {
  public:
    Op() noexcept {}
    Op(VortonWorldId world, VortonOpId id) noexcept : Owner(world, id) {}
    Status update(const VortonOpDef &def) noexcept { return vorton_op_update(world(), id(), &def); }
    /* Runs the operation over particles, as vorton_ops_run. For several operations, an OpList is faster. */
    Status run(Columns &view, float dt, uint32_t frame, VortonOpResult *inout = nullptr) noexcept;
};

/* Owns a world and everything in it. */
class World {
  public:
    World() noexcept : id_() {}
    /* Takes ownership of a world created with vorton.h. */
    explicit World(VortonWorldId id) noexcept : id_(id) {}
    World(World &&other) noexcept : id_(other.release()) {}
    World &operator=(World &&other) noexcept {
        if (this != &other) {
            (void)destroy();
            id_ = other.release();
        }
        return *this;
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;
    ~World() { (void)destroy(); }

    /* Checks that header and library are compatible, then creates a world. */
    static Result<World> create(const VortonWorldDef &def = vorton_default_world_def()) noexcept {
        VortonWorldId id = VortonWorldId();
        VortonResult code = vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION);
        if (code >= 0) code = vorton_world_create(&def, &id);
        return detail::result(code, World(id));
    }
    explicit operator bool() const noexcept { return vorton_world_is_valid(id_); }
    VortonWorldId id() const noexcept { return id_; }
    /* Releases the world without destroying it. */
    VortonWorldId release() noexcept {
        const VortonWorldId id = id_;
        id_ = VortonWorldId();
        return id;
    }
    Status destroy() noexcept {
        const VortonWorldId id = release();
        if (!vorton_world_is_valid(id)) return Status();
        return vorton_world_destroy(id);
    }

    Status step(float dt) noexcept { return vorton_world_step(id_, dt); }
    Status step_within(float dt, const VortonBudget &budget) noexcept {
        return vorton_world_step_within(id_, dt, &budget);
    }
    /* Returns the number of steps taken. */
    Result<uint32_t> advance(float dt, float max_stretch, uint32_t max_steps) noexcept {
        uint32_t steps = 0;
        const VortonResult code = vorton_world_advance(id_, dt, max_stretch, max_steps, &steps);
        return detail::result(code, steps);
    }

    Status set_wind(VortonVec3 wind) noexcept { return vorton_world_set_wind(id_, wind); }
    Status set_gravity(VortonVec3 gravity) noexcept { return vorton_world_set_gravity(id_, gravity); }
    Status set_diffusion(float viscosity, float diffusivity) noexcept {
        return vorton_world_set_diffusion(id_, viscosity, diffusivity);
    }
    Status set_relaxation_rate(float rate) noexcept { return vorton_world_set_relaxation_rate(id_, rate); }

    Status set_smagorinsky(float smagorinsky) noexcept {
        return vorton_world_set_smagorinsky(id_, smagorinsky);
    }
    Status set_no_slip_rate(float rate) noexcept { return vorton_world_set_no_slip_rate(id_, rate); }
    Status set_combustion(float ignition_temperature, float burn_time, float burn_expansion) noexcept {
        return vorton_world_set_combustion(id_, ignition_temperature, burn_time, burn_expansion);
    }
    Status set_specific_heat(float specific_heat) noexcept {
        return vorton_world_set_specific_heat(id_, specific_heat);
    }
    Status set_max_age(float max_age) noexcept { return vorton_world_set_max_age(id_, max_age); }
    Status set_expected_samples(uint32_t samples) noexcept {
        return vorton_world_set_expected_samples(id_, samples);
    }
    Status shift_origin(VortonVec3 origin) noexcept { return vorton_world_shift_origin(id_, origin); }
    Status set_kill_volumes(const VortonKillVolume *volumes, size_t count) noexcept {
        return vorton_world_set_kill_volumes(id_, volumes, count);
    }
    /* As vorton_world_kill_volumes: all volumes and their number, also when they do not fit. */
    Status kill_volumes(VortonKillVolume *out, size_t capacity, size_t *out_count) const noexcept {
        return vorton_world_kill_volumes(id_, out, capacity, out_count);
    }
    Result<VortonWorldDef> def() const noexcept {
        VortonWorldDef def = VortonWorldDef();
        const VortonResult code = vorton_world_def(id_, &def, sizeof def);
        return detail::result(code, def);
    }
    Status set_user_data(uint64_t user_data) noexcept {
        return vorton_world_set_user_data(id_, user_data);
    }
    Result<uint64_t> user_data() const noexcept {
        uint64_t user_data = 0;
        const VortonResult code = vorton_world_user_data(id_, &user_data);
        return detail::result(code, user_data);
    }

    Result<uint64_t> hash() const noexcept {
        uint64_t hash = 0;
        const VortonResult code = vorton_world_hash(id_, &hash);
        return detail::result(code, hash);
    }
    Result<uint64_t> hash_all() const noexcept {
        uint64_t hash = 0;
        const VortonResult code = vorton_world_hash_all(id_, &hash);
        return detail::result(code, hash);
    }

    /// Returns the size [bytes] of a snapshot taken now.
    Result<size_t> snapshot_size() const noexcept {
        size_t size = 0;
        const VortonResult code = vorton_world_save(id_, nullptr, 0, &size);
        return detail::result(code, size);
    }
    /// Returns the snapshot's size; it does not fit if the size is above capacity.
    Result<size_t> save(void *out, size_t capacity) const noexcept {
        size_t size = 0;
        const VortonResult code = vorton_world_save(id_, out, capacity, &size);
        return detail::result(code, size);
    }
    Status reset() noexcept { return vorton_world_reset(id_); }
    /* Release the owners of objects created since the snapshot first: see Conventions. */
    Status restore(const void *snapshot, size_t size) noexcept { return vorton_world_restore(id_, snapshot, size); }
    /// Passes all calls from now on to `write`; nullptr ends the recording: vorton_world_record.
    Status record(VortonRecordFn write, void *user = nullptr) noexcept {
        return vorton_world_record(id_, write, user);
    }
    /// Makes the calls of a recording up to its next step: vorton_world_replay.
    Status replay(const void *recording, size_t size, VortonReplay &progress) noexcept {
        return vorton_world_replay(id_, recording, size, &progress);
    }

    Result<VortonStats> stats() const noexcept {
        VortonStats stats = vorton_default_stats();
        const VortonResult code = vorton_world_stats(id_, &stats);
        return detail::result(code, stats);
    }
    /* The memory of this world; memory() of the namespace counts all of them. */
    Result<VortonMemory> memory() const noexcept {
        VortonMemory memory = vorton_default_memory();
        const VortonResult code = vorton_world_memory(id_, &memory);
        return detail::result(code, memory);
    }
    Result<VortonInvariants> invariants(uint32_t flags = 0) const noexcept {
        VortonInvariants invariants = vorton_default_invariants();
        invariants.flags = flags;
        const VortonResult code = vorton_world_invariants(id_, &invariants);
        return detail::result(code, invariants);
    }
    Result<float> density_from_temperature(float temperature) const noexcept {
        float density = 0;
        const VortonResult code = vorton_world_density_from_temperature(id_, temperature, &density);
        return detail::result(code, density);
    }
    Result<float> temperature_from_density(float density) const noexcept {
        float temperature = 0;
        const VortonResult code = vorton_world_temperature_from_density(id_, density, &temperature);
        return detail::result(code, temperature);
    }
    Result<float> mass_deviation(float volume, float temperature) const noexcept {
        float mass = 0;
        const VortonResult code = vorton_world_mass_deviation(id_, volume, temperature, &mass);
        return detail::result(code, mass);
    }

    /* Returns the id of the first vorton; the others follow. */
    Result<uint64_t> add_vortons(const VortonVorton *vortons, size_t count) noexcept {
        uint64_t first = 0;
        const VortonResult code = vorton_vortons_add(id_, vortons, count, &first);
        return detail::result(code, first);
    }
    /* As vorton_vortons_read: returns the number of vortons, also when they do not fit. */
    Status read_vortons(VortonVorton *out, size_t capacity, size_t *out_count) const noexcept {
        return vorton_vortons_read(id_, out, capacity, out_count);
    }
    Result<size_t> vorton_count() const noexcept {
        size_t count = 0;
        const VortonResult code = vorton_vortons_read(id_, nullptr, 0, &count);
        return detail::result(code, count);
    }
    /* Returns the number of vortons removed. */
    Result<size_t> remove_vortons(const uint64_t *ids, size_t count) noexcept {
        size_t removed = 0;
        const VortonResult code = vorton_vortons_remove(id_, ids, count, &removed);
        return detail::result(code, removed);
    }
    Status clear_vortons() noexcept { return vorton_vortons_clear(id_); }
    /* Returns the number of vortons added. */
    Result<size_t> add_initial(const VortonInitialDef &def, uint64_t *out_first_id = nullptr) noexcept {
        size_t count = 0;
        const VortonResult code = vorton_world_add_initial(id_, &def, out_first_id, &count);
        return detail::result(code, count);
    }

    /* Returns the number of vortons added around bodies: see vorton_bodies_surround. */
    Result<size_t> surround_bodies(const VortonSurroundDef &def = vorton_default_surround_def(),
                                   uint64_t *out_first_id = nullptr) noexcept {
        size_t count = 0;
        const VortonResult code = vorton_bodies_surround(id_, &def, out_first_id, &count);
        return detail::result(code, count);
    }

    /* As vorton_world_add_preset: everything that it makes is the world's until it is destroyed by id. */
    Status add_preset(const VortonPresetDef &def, VortonTracersId *out_tracers = nullptr,
                      VortonEmitterId *out_emitters = nullptr, VortonBodyId *out_body = nullptr) noexcept {
        return vorton_world_add_preset(id_, &def, out_tracers, out_emitters, out_body);
    }

    Result<Emitter> create_emitter(const VortonEmitterDef &def) noexcept {
        VortonEmitterId id = VortonEmitterId();
        const VortonResult code = vorton_emitter_create(id_, &def, &id);
        return detail::result(code, Emitter(id_, id));
    }
    Result<Tracers> create_tracers(const VortonTracersDef &def) noexcept {
        VortonTracersId id = VortonTracersId();
        const VortonResult code = vorton_tracers_create(id_, &def, &id);
        return detail::result(code, Tracers(id_, id));
    }
    Result<Body> create_body(const VortonBodyDef &def) noexcept {
        VortonBodyId id = VortonBodyId();
        const VortonResult code = vorton_body_create(id_, &def, &id);
        return detail::result(code, Body(id_, id));
    }
    Result<Op> create_op(const VortonOpDef &def) noexcept {
        VortonOpId id = VortonOpId();
        const VortonResult code = vorton_op_create(id_, &def, &id);
        return detail::result(code, Op(id_, id));
    }

    /* As vorton_world_bodies: all ids and their number, also when they do not fit. */
    Status bodies(VortonBodyId *out, size_t capacity, size_t *out_count) const noexcept {
        return vorton_world_bodies(id_, out, capacity, out_count);
    }
    Status emitters(VortonEmitterId *out, size_t capacity, size_t *out_count) const noexcept {
        return vorton_world_emitters(id_, out, capacity, out_count);
    }
    Status tracers(VortonTracersId *out, size_t capacity, size_t *out_count) const noexcept {
        return vorton_world_tracers(id_, out, capacity, out_count);
    }

    /* As vorton_bodies_set_states: the states may be embedded in your own structs, `stride` bytes apart. */
    Status set_body_states(const VortonBodyId *ids, const VortonBodyState *states, size_t count,
                           size_t stride = sizeof(VortonBodyState)) noexcept {
        return vorton_bodies_set_states(id_, ids, states, stride, count);
    }
    Status take_body_impulses(const VortonBodyId *ids, VortonBodyImpulse *out, size_t count,
                              size_t stride = sizeof(VortonBodyImpulse)) noexcept {
        return vorton_bodies_take_impulses(id_, ids, out, stride, count);
    }
    /* As vorton_world_remove_embedded. */
    Status remove_embedded(float margin, size_t *out_vortons = nullptr,
                           size_t *out_tracers = nullptr) noexcept {
        return vorton_world_remove_embedded(id_, margin, out_vortons, out_tracers);
    }

    /* Samples a vector field (velocity or vorticity) at `count` points. */
    template <uint32_t Quantity>
    Status sample(const VortonVec3 *points, VortonVec3 *out, size_t count) const noexcept {
        static_assert(Quantity == VORTON_SAMPLE_VELOCITY || Quantity == VORTON_SAMPLE_VORTICITY,
                      "only velocity and vorticity are vectors");
        return vorton_world_sample(id_, Quantity, &points->x, sizeof *points, &out->x, sizeof *out, count);
    }
    /* Samples a scalar field at `count` points. */
    template <uint32_t Quantity>
    Status sample(const VortonVec3 *points, float *out, size_t count) const noexcept {
        static_assert(Quantity != VORTON_SAMPLE_VELOCITY && Quantity != VORTON_SAMPLE_VORTICITY,
                      "velocity and vorticity are vectors");
        return vorton_world_sample(id_, Quantity, &points->x, sizeof *points, out, sizeof *out, count);
    }
    /* Integrates dye [m] or density deviation [kg/m^2] along lines of two points:
       vorton_world_sample_lines. */
    template <uint32_t Quantity>
    Status sample_lines(const VortonVec3 (*lines)[2], float *out, size_t count) const noexcept {
        static_assert(Quantity == VORTON_SAMPLE_DYE || Quantity == VORTON_SAMPLE_DENSITY_DEVIATION,
                      "lines go through dye or density deviation");
        return vorton_world_sample_lines(id_, Quantity, &lines[0][0].x, sizeof *lines, out, sizeof *out, count);
    }

    /* As vorton_world_sample_surfaces: the nearest of all bodies. */
    Status sample_surfaces(const VortonVec3 *points, float reach, VortonSurface *out, size_t count) const noexcept {
        return vorton_world_sample_surfaces(id_, nullptr, reach, &points->x, sizeof *points, out, sizeof *out, count);
    }
    /* The same for one body; points and results may be embedded in your own structs. */
    Status sample_surfaces(const VortonBodyId *body, float reach, const float *points, uint32_t point_stride,
                           VortonSurface *out, uint32_t out_stride, size_t count) const noexcept {
        return vorton_world_sample_surfaces(id_, body, reach, points, point_stride, out, out_stride, count);
    }

    /* Fills a volume of texels in your memory of `size` bytes. */
    Status sample_volume(const VortonVolumeDef &def, void *out, size_t size) const noexcept {
        return vorton_world_sample_volume(id_, &def, out, size);
    }

    /* As vorton_world_draw: the first lines, and the number of all, also when they do not fit. */
    Status draw(const VortonDrawDef &def, VortonLine *out, size_t capacity, size_t *out_count) const noexcept {
        return vorton_world_draw(id_, &def, out, capacity, out_count);
    }

    /* As vorton_world_sample: points and results may be embedded in your own structs. */
    Status sample(uint32_t quantity, const float *points, uint32_t point_stride, float *out,
                  uint32_t out_stride, size_t count) const noexcept {
        return vorton_world_sample(id_, quantity, points, point_stride, out, out_stride, count);
    }

  private:
    VortonWorldId id_;
};

/* A world definition for an effect: `world` with the fields that vorton_preset_world_def chooses. */
inline Result<VortonWorldDef> preset_world_def(const VortonPresetDef &def,
                                               VortonWorldDef world = vorton_default_world_def()) noexcept {
    const VortonResult code = vorton_preset_world_def(&def, &world);
    return detail::result(code, world);
}

/* A world definition for a replay: `world` with the fields of the recorded world. */
inline Result<VortonWorldDef> replay_world_def(const void *recording, size_t size,
                                               VortonWorldDef world = vorton_default_world_def()) noexcept {
    const VortonResult code = vorton_replay_world_def(recording, size, &world);
    return detail::result(code, world);
}

/* Mass properties of a shape of density 1; see vorton_shape_mass_properties. */
inline Result<VortonMassProperties> mass_properties(const VortonShapeDef &def) noexcept {
    VortonMassProperties properties = VortonMassProperties();
    const VortonResult code = vorton_shape_mass_properties(&def, &properties);
    return detail::result(code, properties);
}
inline Status added_inertia(const VortonShapeDef &def, float (&out)[21]) noexcept {
    return vorton_shape_added_inertia(&def, out);
}
/* Makes the library allocate all memory with these functions; before any other call: vorton_set_allocator. */
inline Status set_allocator(VortonAllocateFn allocate, VortonFreeFn free, void *user) noexcept {
    return vorton_set_allocator(allocate, free, user);
}
inline Result<VortonMemory> memory() noexcept {
    VortonMemory memory = vorton_default_memory();
    const VortonResult code = vorton_memory(&memory);
    return detail::result(code, memory);
}
inline Status set_log(VortonLogFn function, void *user, int32_t min_level) noexcept {
    return vorton_set_log(function, user, min_level);
}

/* The memory layout of a user type: `Components<float, 3>` for three floats and nothing else. Predefined for
 * floats, 32-bit integers, bool and uint8_t, arrays of components, and classes with members x, y, z (w).
 * Specialise Layout for other vector types:
 * `template <> struct vorton::Layout<Vec> : vorton::Components<float, 3> {};` */
template <class C, unsigned Count> struct Components {
    typedef C Component;
    static constexpr unsigned count = Count;
    static constexpr bool padded = false;
};

namespace detail {

struct NoLayout {
    typedef void Component;
    static constexpr unsigned count = 0;
    static constexpr bool padded = false;
};

/* Three components stored in the space of four. */
template <class C> struct Padded {
    typedef C Component;
    static constexpr unsigned count = 4;
    static constexpr bool padded = true;
};

/* Members x, y, z of one type, float or double, and w of the same type, padding of its size, or nothing. */
template <class T> struct XyzLayout {
    template <class U>
    static auto xyz(const U *u) ->
        typename std::enable_if<std::is_same<decltype(u->x), decltype(u->y)>::value &&
                                    std::is_same<decltype(u->x), decltype(u->z)>::value,
                                decltype(u->x)>::type;
    template <class U> static void xyz(...);
    template <class U> static auto w(const U *u) -> decltype(u->w);
    template <class U> static void w(...);
    typedef decltype(xyz<T>(static_cast<const T *>(nullptr))) C;
    typedef decltype(w<T>(static_cast<const T *>(nullptr))) W;

    template <class K, bool Known> struct Make {
        typedef NoLayout Type;
    };
    template <class K> struct Make<K, true> {
        typedef typename std::conditional<std::is_same<W, K>::value, Components<K, 4>, Padded<K>>::type Four;
        typedef typename std::conditional<
            sizeof(T) == 3 * sizeof(K), Components<K, 3>,
            typename std::conditional<sizeof(T) == 4 * sizeof(K), Four, NoLayout>::type>::type Type;
    };
    typedef typename Make<C, std::is_same<C, float>::value || std::is_same<C, double>::value>::Type Type;
};

template <class T, bool IsClass> struct DefaultLayout : NoLayout {};
template <class T> struct DefaultLayout<T, true> : XyzLayout<T>::Type {};

} // namespace detail

template <class T> struct Layout : detail::DefaultLayout<T, std::is_class<T>::value> {};
template <> struct Layout<float> : Components<float, 1> {};
template <> struct Layout<uint32_t> : Components<uint32_t, 1> {};
template <> struct Layout<int32_t> : Components<int32_t, 1> {};
template <> struct Layout<uint8_t> : Components<uint8_t, 1> {};
template <> struct Layout<bool> : Components<bool, 1> {};
template <class C, size_t Count> struct Layout<C[Count]> : Components<C, static_cast<unsigned>(Count)> {};

namespace detail {

constexpr bool is_vector(uint32_t semantic) {
    return semantic == VORTON_POSITION || semantic == VORTON_VELOCITY ||
           semantic == VORTON_ANGULAR_VELOCITY || semantic == VORTON_NORMAL;
}
constexpr bool is_scalar(uint32_t semantic) {
    return semantic == VORTON_AGE || semantic == VORTON_LIFETIME || semantic == VORTON_SIZE ||
           semantic == VORTON_DENSITY || semantic == VORTON_TEMPERATURE ||
           (semantic >= VORTON_POSITION_X && semantic <= VORTON_ANGULAR_VELOCITY_Z) ||
           (semantic >= VORTON_USER0 && semantic < VORTON_USER0 + 16);
}

/* The VORTON_... format of an attribute with this layout; 0: not a valid layout for it. */
template <class L> constexpr uint32_t format_of(uint32_t semantic) {
    return std::is_same<typename L::Component, float>::value
               ? (is_vector(semantic) && L::count == 3                            ? VORTON_F32X3
                  : is_vector(semantic) && L::count == 4                          ? VORTON_F32X4
                  : semantic == VORTON_ORIENTATION && L::count == 4 && !L::padded ? VORTON_QUAT_F32
                  : is_scalar(semantic) && L::count == 1                          ? VORTON_F32
                                                                                  : 0)
           : std::is_same<typename L::Component, double>::value
               ? (is_vector(semantic) && L::count == 3 ? VORTON_F64X3 : 0)
           : std::is_same<typename L::Component, uint32_t>::value
               ? ((semantic == VORTON_FLAGS || semantic == VORTON_HIT) && L::count == 1 ? VORTON_U32 : 0)
           : std::is_same<typename L::Component, uint8_t>::value || std::is_same<typename L::Component, bool>::value
               ? ((semantic == VORTON_ALIVE || semantic == VORTON_DEAD) && L::count == 1 && sizeof(bool) == 1 ? VORTON_U8 : 0)
           : std::is_same<typename L::Component, int32_t>::value
               ? (semantic == VORTON_BIRTH_FRAME && L::count == 1 ? VORTON_I32 : 0)
               : 0;
}

} // namespace detail

/* View of particles in separate arrays, one per attribute. Does not own them and copies nothing. */
class Columns {
  public:
    /* `count` particles, and memory for `capacity` of them, which emission may use. */
    Columns(size_t count, size_t capacity) noexcept : view_(), count_(0) {
        view_.struct_size = sizeof view_;
        view_.count = count;
        view_.capacity = capacity;
    }
    explicit Columns(size_t count) noexcept : Columns(count, count) {}

    /* Adds an attribute in a separate array: view.column<VORTON_AGE>(ages). */
    template <uint32_t Semantic, class T> Columns &column(T *array) noexcept {
        static_assert(detail::format_of<Layout<T>>(Semantic) != 0,
                      "no attribute of this kind can have this type: see VORTON_POSITION and the others, and "
                      "vorton::Layout");
        return add(Semantic, detail::format_of<Layout<T>>(Semantic), sizeof(T), 0, array);
    }
    /* Adds an attribute described by hand. */
    Columns &add(uint32_t semantic, uint32_t format, uint32_t stride, uint32_t offset, void *base) noexcept {
        if (count_ < VORTON_MAX_STREAMS) {
            VortonStream &stream = streams_[count_];
            stream.semantic = semantic;
            stream.format = format;
            stream.stride = stride;
            stream.offset = offset;
            stream.base = base;
        }
        /* The library reports a stream too many. */
        if (count_ <= VORTON_MAX_STREAMS) ++count_;
        return *this;
    }
    /* Visits only these particles, strictly ascending. */
    Columns &only(const uint32_t *indices, size_t index_count) noexcept {
        view_.indices = indices;
        view_.index_count = index_count;
        return *this;
    }
    size_t count() const noexcept { return view_.count; }
    void set_count(size_t count) noexcept { view_.count = count; }
    /* For calls of vorton.h; valid until this object is changed, moved or destroyed. */
    const VortonParticleView *get() noexcept {
        view_.streams = streams_;
        view_.stream_count = count_;
        return &view_;
    }
    /* Checks the view without using it; the status describes the first problem. */
    Status check() noexcept { return vorton_view_check(get()); }

  protected:
    VortonParticleView view_;

  private:
    uint32_t count_;
    VortonStream streams_[VORTON_MAX_STREAMS];
};

/* View of particles of your own type P in place: an array of P, or a table of pointers to P. Member pointers
 * locate the attributes; their types determine the storage format, checked at compile time.
 */
template <class P> class View : public Columns {
  public:
    /* `count` particles, and memory for `capacity` of them, which emission may use. */
    View(P *particles, size_t count, size_t capacity) noexcept
        : Columns(count, capacity), base_(particles), one_(particles) {
        view_.element_size = sizeof(P);
    }
    View(P *particles, size_t count) noexcept : View(particles, count, count) {}
    /* Particles anywhere in memory: `table` has the addresses of `capacity` particles. */
    static View table(P *const *table, size_t count, size_t capacity) noexcept {
        View view(nullptr, count, capacity);
        view.view_.table = reinterpret_cast<void *const *>(table);
        view.view_.element_size = 0;
        view.one_ = capacity > 0 ? table[0] : nullptr;
        return view;
    }

    /* view.bind<VORTON_POSITION>(&Particle::position): a compile error if the member's type does not
     * fit. */
    template <uint32_t Semantic, class B, class T> View &bind(T B::*member) noexcept {
        static_assert(detail::format_of<Layout<T>>(Semantic) != 0,
                      "no attribute of this kind can have this type: see VORTON_POSITION and the others, and "
                      "vorton::Layout");
        return put(Semantic, detail::format_of<Layout<T>>(Semantic), member);
    }
    /* For attributes chosen at run time, such as VORTON_USER0 + i. A type that does not fit the attribute is
     * VORTON_ERR_BAD_STREAM when the view is used. */
    template <class B, class T> View &bind(uint32_t semantic, T B::*member) noexcept {
        static_assert(Layout<T>::count != 0, "how this type lies in memory is not known: see vorton::Layout");
        return put(semantic, detail::format_of<Layout<T>>(semantic), member);
    }

  private:
    template <class B, class T> View &put(uint32_t semantic, uint32_t format, T B::*member) noexcept {
        static_assert(std::is_base_of<B, P>::value, "a member of another type");
        T P::*const place = member;
        size_t offset = 0;
        if (one_ != nullptr) {
            const char *const address = reinterpret_cast<const char *>(&(one_->*place));
            offset = static_cast<size_t>(address - reinterpret_cast<const char *>(one_));
        }
        add(semantic, format, sizeof(P), static_cast<uint32_t>(offset), base_);
        return *this;
    }

    P *base_;
    const P *one_;
};

/* An empty result, ready for a run. */
inline VortonOpResult op_result() noexcept { return vorton_default_op_result(); }

/* Runs operations of one world over particles, as vorton_ops_run: adjacent operations run together. */
inline Status run_ops(VortonWorldId world, const VortonOpId *ops, uint32_t count, Columns &view, float dt,
                      uint32_t frame, VortonOpResult *inout = nullptr) noexcept {
    return vorton_ops_run(world, ops, count, view.get(), dt, frame, inout);
}

inline Status Op::run(Columns &view, float dt, uint32_t frame, VortonOpResult *inout) noexcept {
    const VortonOpId op = id();
    return run_ops(world(), &op, 1, view, dt, frame, inout);
}

/* Owns a list of operations and runs it in one pass over memory. */
template <uint32_t Capacity = VORTON_MAX_OPS> class OpList {
    static_assert(Capacity > 0 && Capacity <= VORTON_MAX_OPS, "a run takes 1 to VORTON_MAX_OPS operations");

  public:
    OpList() noexcept : count_(0) {}
    OpList(OpList &&other) noexcept : count_(0) { take(other); }
    OpList &operator=(OpList &&other) noexcept {
        if (this != &other) take(other);
        return *this;
    }
    OpList(const OpList &) = delete;
    OpList &operator=(const OpList &) = delete;

    uint32_t count() const noexcept { return count_; }
    Op &operator[](uint32_t i) noexcept { return ops_[i]; }
    /* Creates an operation at the end of the list. All must belong to one world. */
    Status add(World &world, const VortonOpDef &def) noexcept {
        if (count_ == Capacity) return VORTON_ERR_CAPACITY;
        Result<Op> made = world.create_op(def);
        if (made) ops_[count_++] = made.take();
        return made.status();
    }
    Status run(Columns &view, float dt, uint32_t frame, VortonOpResult *inout = nullptr) noexcept {
        VortonOpId ids[Capacity];
        for (uint32_t i = 0; i < count_; ++i) ids[i] = ops_[i].id();
        return run_ops(ops_[0].world(), ids, count_, view, dt, frame, inout);
    }

  private:
    void take(OpList &other) noexcept {
        for (uint32_t i = 0; i < Capacity; ++i) ops_[i] = static_cast<Op &&>(other.ops_[i]);
        count_ = other.count_;
        other.count_ = 0;
    }

    Op ops_[Capacity];
    uint32_t count_;
};

/* A particle operation of your engine based on an operation of the library: `HostBase` is the base class that
 * your engine requires, with any virtual functions. Derive from this, and call run() in the engine's
 * callback:
 *
 *     struct FluidVelocity : vorton::Operation<EngineAffector> {
 *         explicit FluidVelocity(vorton::Op op) : Operation(std::move(op)) {}
 *         void affect(Particle *p, size_t n, float dt) override {
 *             vorton::View<Particle> view(p, n);
 *             view.bind<VORTON_POSITION>(&Particle::position).bind<VORTON_VELOCITY>(&Particle::velocity);
 *             status = run(view, dt, frame++);
 *         }
 *     };
 *
 * `Operations` is Op or OpList. */
template <class HostBase, class Operations = Op> class Operation : public HostBase {
  public:
    /* Further arguments go to the host's class. */
    template <class... Arguments>
    explicit Operation(Operations &&operations, Arguments &&...arguments)
        : HostBase(std::forward<Arguments>(arguments)...),
          operations_(static_cast<Operations &&>(operations)) {}

    Operations &operations() noexcept { return operations_; }

  protected:
    Status run(Columns &view, float dt, uint32_t frame, VortonOpResult *inout = nullptr) noexcept {
        return operations_.run(view, dt, frame, inout);
    }

  private:
    Operations operations_;
};

} // namespace vorton

#endif /* VORTON_HPP */
