//! An invalid list is refused as a whole; an invalid view is refused with the faulty stream.

use crate::particle_operations::*;

use fluid_core::constants::MAX_STEP;
use fluid_core::particles::ScalarQuantity;
use fluid_particles::ops::*;
use fluid_particles::view::*;
use fluid_threads::Serial;
use glam::Vec3;

fn refusal(bad: Operation<'_>) -> OpError {
    let start = particles(CHUNK + 3);
    let mut host = Host::new(&start, start.len(), Layout::Table);
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: 100 };
    let error =
        run_with(&Serial, &mut host, None, &inputs, &[Advect.into(), Age.into(), bad]).expect_err("refused");
    assert_eq!(bits(&host.read()), bits(&start), "{bad:?} came too late");
    assert!(error.to_string().len() > 20, "{error}");
    error
}

#[test]
fn bad_parameters() {
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        let prototype = [Attribute {
            semantic: Semantic::Age,
            value: [f64::from(bad) * 1e300, 0.0, 0.0],
            spread: [0.0; 3],
        }];
        let operations: [Operation<'_>; 13] = [
            Velocity { rate: bad, ..Velocity::default() }.into(),
            Turbulence { rate: bad, ..Turbulence::default() }.into(),
            Turbulence { intensity: bad, ..Turbulence::default() }.into(),
            Spin { rate: bad, ..Spin::default() }.into(),
            Wind { velocity: Vec3::ZERO, rate: bad }.into(),
            Drag { linear_rate: bad, quadratic: 0.0 }.into(),
            Drag { linear_rate: 0.0, quadratic: bad }.into(),
            Collide { restitution: bad, ..Collide::default() }.into(),
            Collide { friction: bad, ..Collide::default() }.into(),
            Collide { mass: bad, ..Collide::default() }.into(),
            Kill { max_age: Some(bad), max_age_frames: None, mode: KillMode::Mark }.into(),
            Emit { rate: bad, seed: 0, timing: EmitTiming::AtOnce, prototype: &[] }.into(),
            Emit { rate: 1.0, seed: 0, timing: EmitTiming::AtOnce, prototype: &prototype }.into(),
        ];
        for operation in operations {
            assert!(matches!(refusal(operation), OpError::Operation { operation: 2, .. }));
        }
    }
    refusal(Collide { restitution: 1.01, ..Collide::default() }.into());
    refusal(Collide { friction: 1.01, ..Collide::default() }.into());
    for bad in [f32::NAN, f32::INFINITY] {
        refusal(Velocity { gain: bad, ..Velocity::default() }.into());
        refusal(Turbulence { gain: bad, ..Turbulence::default() }.into());
        refusal(Wind { velocity: Vec3::new(0.0, bad, 0.0), rate: 1.0 }.into());
        refusal(Accelerate { acceleration: Vec3::new(0.0, 0.0, bad) }.into());
    }
}

#[test]
fn bad_prototypes() {
    let attribute = |semantic| Attribute { semantic, value: [0.0; 3], spread: [0.0; 3] };
    let flags = attribute(Semantic::Flags);
    let prototypes = [
        vec![attribute(Semantic::PositionX)],
        vec![attribute(Semantic::AngularVelocityZ)],
        vec![attribute(Semantic::Orientation)],
        vec![attribute(Semantic::BirthFrame)],
        vec![attribute(Semantic::Hit)],
        vec![attribute(Semantic::Normal)],
        vec![attribute(Semantic::Age), attribute(Semantic::Age)],
        vec![attribute(Semantic::User4)],
        vec![Attribute { value: [-1.0, 0.0, 0.0], ..flags }],
        vec![Attribute { value: [5e9, 0.0, 0.0], ..flags }],
        vec![Attribute { spread: [1.0, 0.0, 0.0], ..flags }],
        vec![Attribute { spread: [0.0, f32::NAN, 0.0], ..attribute(Semantic::Position) }],
    ];
    for prototype in &prototypes {
        refusal(Emit { rate: 1.0, seed: 0, timing: EmitTiming::AtOnce, prototype }.into());
    }
}

#[test]
fn targets_that_are_no_place_for_a_sample() {
    for into in [Semantic::Age, Semantic::Lifetime, Semantic::Position, Semantic::Flags, Semantic::BirthFrame]
    {
        let error = refusal(SampleScalar { quantity: ScalarQuantity::Dye, into }.into());
        let problem = Problem::BadTarget { stream: into };
        assert_eq!(error, OpError::Operation { operation: 2, name: "SampleScalar", problem });
    }
    let into = Semantic::User9;
    let error = refusal(SampleScalar { quantity: ScalarQuantity::Density, into }.into());
    assert!(
        matches!(error, OpError::Operation { problem: Problem::MissingStream { stream }, .. } if stream == into)
    );
}

#[test]
fn compaction_that_the_layout_does_not_allow() {
    let compact = Kill { max_age: Some(1.0), max_age_frames: None, mode: KillMode::Compact };
    let problem = |error| match error {
        OpError::Operation { problem: Problem::Compact(problem), .. } => problem,
        other => panic!("{other}"),
    };
    assert_eq!(problem(refusal(compact.into())), CompactError::Table);

    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: 100 };
    let mut host = Host::new(&particles(9), 9, Layout::Soa);
    let error = run_with(&Serial, &mut host, Some(&[1, 2]), &inputs, &[compact.into()]).expect_err("refused");
    assert_eq!(problem(error), CompactError::Indices);
    let mut host = Host::new(&particles(9), 9, Layout::Aos);
    let size = std::mem::replace(&mut host.element_size, 0);
    assert!(size > 0);
    let error = run_with(&Serial, &mut host, None, &inputs, &[compact.into()]).expect_err("refused");
    assert!(matches!(problem(error), CompactError::NotPacked { .. }));
}

#[test]
fn missing_streams_time_steps_and_states() {
    let mut positions = [Vec3::ZERO; 3];
    let mut slices = ParticleSlices::new().vec3(Semantic::Position, &mut positions);
    let mut view = slices.view().expect("right slices");
    let mut run = |dt, operations: &[Operation<'_>], states: &mut [EmitState]| {
        let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt, frame: 0 };
        let memory = RunMemory { scratch: &mut RunScratch::default(), emit_states: states, killed: &mut [] };
        run_operations(&Serial, &inputs, operations, &mut view, memory)
    };
    for operation in every_operation() {
        let missing = operation.needs().iter().find(|&&semantic| semantic != Semantic::Position);
        if let Some(&stream) = missing {
            let error = run(DT, &[operation], &mut []).expect_err("refused");
            let problem = Problem::MissingStream { stream };
            assert_eq!(error, OpError::Operation { operation: 0, name: operation.name(), problem });
        }
    }
    for dt in [-1.0, f32::NAN, f32::INFINITY, MAX_STEP.next_up()] {
        assert!(matches!(run(dt, &[Bounds.into()], &mut []), Err(OpError::BadTimeStep { .. })));
    }
    let emit = Emit { rate: 1.0, seed: 0, timing: EmitTiming::AtOnce, prototype: &[] }.into();
    let error = run(DT, &[emit], &mut []).expect_err("refused");
    assert_eq!(error, OpError::MissingEmitState { needed: 1, given: 0 });
    for remainder in [-0.1, 1.0, f64::NAN] {
        let error = run(DT, &[emit], &mut [EmitState { remainder, emitted: 0 }]).expect_err("refused");
        assert!(matches!(error, OpError::BadEmitState { state: 0, .. }));
    }
    let list = Kill { max_age: None, max_age_frames: None, mode: KillMode::List }.into();
    assert_eq!(run(DT, &[list, list], &mut []), Err(OpError::SecondList { operation: 1 }));
}

#[test]
fn bad_views() {
    use Semantic::*;
    let mut memory = [0_u64; 64];
    let base = memory.as_mut_ptr().cast::<u8>();
    let stream = |semantic, stride, offset| Stream {
        semantic,
        format: semantic_format(semantic),
        stride,
        offset,
        base,
    };
    fn semantic_format(semantic: Semantic) -> Format {
        semantic.formats()[0]
    }
    let check = |streams: &[Stream], change: &dyn Fn(&mut ViewDescription<'_>)| {
        let mut description = ViewDescription {
            count: 4,
            capacity: 4,
            streams,
            table: std::ptr::null(),
            indices: None,
            element_size: 0,
        };
        change(&mut description);
        // SAFETY: the view is dropped at once, so nothing but a table is read, and the tables below have
        // the stated lengths.
        let error = unsafe { ParticleView::new(description) }.expect_err("refused");
        assert!(error.to_string().len() > 20, "{error}");
        error
    };
    let same = |_: &mut ViewDescription<'_>| ();

    let age = stream(Age, 4, 0);
    assert_eq!(
        check(&[Stream { base: std::ptr::null_mut(), ..age }], &same),
        ViewError::NullBase { stream: Age }
    );
    let error = check(&[Stream { format: Format::U32, ..age }], &same);
    assert_eq!(error, ViewError::WrongFormat { stream: Age, format: Format::U32 });
    assert_eq!(check(&[age, stream(Age, 4, 16)], &same), ViewError::DuplicateStream { stream: Age });
    let split = [stream(Position, 12, 0), stream(PositionX, 4, 48)];
    assert_eq!(check(&split, &same), ViewError::DuplicateStream { stream: PositionX });
    let two = [stream(VelocityX, 4, 0), stream(VelocityZ, 4, 16)];
    assert_eq!(check(&two, &same), ViewError::MissingComponent { stream: VelocityY });
    let error = check(&[stream(Age, 0, 0)], &same);
    assert_eq!(error, ViewError::StrideTooSmall { stream: Age, stride: 0, needed: 4 });
    let error = check(&[stream(Age, 4, 2)], &same);
    assert_eq!(error, ViewError::MisalignedBase { stream: Age, alignment: 4 });
    let error = check(&[stream(Age, 6, 0)], &same);
    assert_eq!(error, ViewError::MisalignedStride { stream: Age, stride: 6, alignment: 4 });
    let wide = Stream { format: Format::F64X3, ..stream(Position, 28, 0) };
    let error = check(&[wide], &same);
    assert_eq!(error, ViewError::MisalignedStride { stream: Position, stride: 28, alignment: 8 });
    for (stride, offset) in [(usize::MAX & !3, 0), (4, usize::MAX & !3), (isize::MAX as usize & !3, 0)] {
        assert_eq!(check(&[stream(Age, stride, offset)], &same), ViewError::AddressOverflow { stream: Age });
    }
    let overlap = ViewError::Overlap { first: Age, second: Size };
    assert_eq!(check(&[age, stream(Size, 4, 12)], &same), overlap);
    assert_eq!(check(&[stream(Age, 16, 8), stream(Size, 16, 40)], &same), overlap);
    assert_eq!(check(&[stream(Age, 8, 0), stream(Size, 16, 4)], &same), overlap);
    let error = check(&[age], &|view| view.count = 5);
    assert_eq!(error, ViewError::CountAboveCapacity { count: 5, capacity: 4 });
    let error = check(&[age], &|view| view.capacity = 1 << 40);
    assert_eq!(error, ViewError::TooManyRows { capacity: 1 << 40 });
    let error = check(&[stream(Age, 8, 4)], &|view| view.element_size = 7);
    assert_eq!(error, ViewError::ElementTooSmall { stream: Age, element_size: 7, needed: 8 });
    for (indices, expected) in [
        (&[1, 1][..], ViewError::IndicesNotAscending { at: 1 }),
        (&[0, 2, 1], ViewError::IndicesNotAscending { at: 2 }),
        (&[0, 4], ViewError::IndexOutOfRange { at: 1, index: 4, count: 4 }),
    ] {
        let mut description = ViewDescription {
            count: 4,
            capacity: 4,
            streams: &[age],
            table: std::ptr::null(),
            indices: None,
            element_size: 0,
        };
        description.indices = Some(indices);
        // SAFETY: as above.
        assert_eq!(unsafe { ParticleView::new(description) }.expect_err("refused"), expected);
    }

    // Indices and tables in memory that the operations would change.
    // SAFETY: eight numbers within the memory, which nothing writes while they are read.
    let within = unsafe { std::slice::from_raw_parts(base.cast::<u32>().wrapping_add(2), 2) };
    let error = check(&[stream(Size, 4, 400), age], &|view| {
        // SAFETY: nothing is written as long as this lives.
        view.indices = Some(unsafe { std::slice::from_raw_parts(within.as_ptr(), 2) });
    });
    assert_eq!(error, ViewError::IndicesOverlap { stream: Age });

    let at = |offset: usize| base.wrapping_add(offset);
    let tables = [
        ([at(0), at(8), std::ptr::null_mut(), at(16)], ViewError::NullTableEntry { row: 2 }),
        ([at(0), at(9), at(16), at(24)], ViewError::MisalignedTableEntry { row: 1, stream: Age }),
        ([at(0), at(8), at(16), usize::MAX as *mut u8], ViewError::TableEntryOverflow { row: 3 }),
    ];
    for (table, expected) in tables {
        assert_eq!(check(&[age], &|view| view.table = table.as_ptr()), expected);
    }
    let mut table = [at(0), at(8), at(16), at(24)];
    let address = table.as_ptr();
    table[2] = address.cast::<u8>().cast_mut().wrapping_add(4);
    assert_eq!(check(&[age], &|view| view.table = table.as_ptr()), ViewError::TableEntryOverlap { row: 2 });
    let table = [at(0), at(8), at(16), at(24)];
    for (offset, expected) in [(8, 1), (24, 3)] {
        // SAFETY: as above.
        let indices = unsafe { std::slice::from_raw_parts(at(offset).cast::<u32>().cast_const(), 1) };
        let mut description = ViewDescription {
            count: 4,
            capacity: 4,
            streams: &[age],
            table: table.as_ptr(),
            indices: None,
            element_size: 0,
        };
        description.indices = Some(indices);
        // SAFETY: as above.
        let error = unsafe { ParticleView::new(description) }.expect_err("refused");
        assert_eq!(error, ViewError::TableEntryOverlap { row: expected });
    }

    let table = [base; 5];
    let error = check(&[age], &|view| view.table = table.as_ptr().cast::<u8>().wrapping_add(4).cast());
    assert_eq!(error, ViewError::MisalignedTable);
    let error = check(&[age, stream(Size, 0, 2)], &|view| view.table = table.as_ptr());
    assert_eq!(error, overlap);
}

#[test]
fn bad_slices() {
    let (mut positions, mut ages) = ([Vec3::ZERO; 3], [0.0; 2]);
    let mut slices =
        ParticleSlices::new().vec3(Semantic::Position, &mut positions).f32(Semantic::Age, &mut ages);
    let expected = ViewError::SliceLength { stream: Semantic::Age, len: 2, expected: 3 };
    assert_eq!(slices.view().err(), Some(expected));
}
