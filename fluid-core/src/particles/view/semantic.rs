//! What a stream means and how its elements are stored.

/// Bit of [`Semantic::Flags`] that says: this particle is dead, leave it alone.
pub const DEAD: u32 = 1;

/// What a stream means. The numbers are part of the C interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Semantic {
    /// Position \[m\]: three components.
    Position = 1,
    /// Velocity \[m/s\]: three components.
    Velocity = 2,
    /// Age \[s\]: `f32`.
    Age = 3,
    /// Age at which this particle dies \[s\]: `f32`.
    Lifetime = 4,
    /// Number of the frame in which it was born: `i32`.
    BirthFrame = 5,
    /// Bits: `u32`. Bit 0 is [`DEAD`], the rest is the host's. Not beside [`Alive`](Self::Alive) or
    /// [`Dead`](Self::Dead).
    Flags = 6,
    /// Diameter \[m\]: `f32`.
    Size = 7,
    /// Density \[kg/m³\]: `f32`.
    Density = 8,
    /// Temperature \[K\]: `f32`.
    Temperature = 9,
    /// Angular velocity \[rad/s\], about the world's axes: three components.
    AngularVelocity = 10,
    /// Orientation: the unit quaternion x, y, z, w that turns the particle's own axes into the world's.
    Orientation = 11,
    /// Which body the particle met when it was last [collided](crate::ops::Collide): its number in the list
    /// of bodies plus 1; 0: none: `u32`.
    Hit = 12,
    /// Unit normal of the surface that it met then, pointing into the fluid; 0 if it met none: three
    /// components, in one array.
    Normal = 13,
    /// 0: dead, leave it alone; anything else: alive. `u8`. Dying writes 0.
    Alive = 14,
    /// 0: alive; anything else: dead, leave it alone. `u8`. Dying writes 1.
    Dead = 15,
    /// First component of the position \[m\] in an array of its own: `f32`. All three or none.
    PositionX = 16,
    /// Second component of the position \[m\]: `f32`.
    PositionY = 17,
    /// Third component of the position \[m\]: `f32`.
    PositionZ = 18,
    /// First component of the velocity \[m/s\] in an array of its own: `f32`. All three or none.
    VelocityX = 19,
    /// Second component of the velocity \[m/s\]: `f32`.
    VelocityY = 20,
    /// Third component of the velocity \[m/s\]: `f32`.
    VelocityZ = 21,
    /// First component of the angular velocity \[rad/s\] in an array of its own: `f32`. All three or none.
    AngularVelocityX = 22,
    /// Second component of the angular velocity \[rad/s\]: `f32`.
    AngularVelocityY = 23,
    /// Third component of the angular velocity \[rad/s\]: `f32`.
    AngularVelocityZ = 24,
    /// The host's own attribute 0: `f32`. Emission fills it, compaction moves it, and
    /// [`SampleScalar`](crate::ops::SampleScalar) writes it if told to; nothing else touches it.
    User0 = 64,
    /// The host's own attribute 1.
    User1 = 65,
    /// The host's own attribute 2.
    User2 = 66,
    /// The host's own attribute 3.
    User3 = 67,
    /// The host's own attribute 4.
    User4 = 68,
    /// The host's own attribute 5.
    User5 = 69,
    /// The host's own attribute 6.
    User6 = 70,
    /// The host's own attribute 7.
    User7 = 71,
    /// The host's own attribute 8.
    User8 = 72,
    /// The host's own attribute 9.
    User9 = 73,
    /// The host's own attribute 10.
    User10 = 74,
    /// The host's own attribute 11.
    User11 = 75,
    /// The host's own attribute 12.
    User12 = 76,
    /// The host's own attribute 13.
    User13 = 77,
    /// The host's own attribute 14.
    User14 = 78,
    /// The host's own attribute 15.
    User15 = 79,
}

impl Semantic {
    /// Every semantic, in the order of their numbers.
    pub const ALL: [Self; 40] = [
        Self::Position,
        Self::Velocity,
        Self::Age,
        Self::Lifetime,
        Self::BirthFrame,
        Self::Flags,
        Self::Size,
        Self::Density,
        Self::Temperature,
        Self::AngularVelocity,
        Self::Orientation,
        Self::Hit,
        Self::Normal,
        Self::Alive,
        Self::Dead,
        Self::PositionX,
        Self::PositionY,
        Self::PositionZ,
        Self::VelocityX,
        Self::VelocityY,
        Self::VelocityZ,
        Self::AngularVelocityX,
        Self::AngularVelocityY,
        Self::AngularVelocityZ,
        Self::User0,
        Self::User1,
        Self::User2,
        Self::User3,
        Self::User4,
        Self::User5,
        Self::User6,
        Self::User7,
        Self::User8,
        Self::User9,
        Self::User10,
        Self::User11,
        Self::User12,
        Self::User13,
        Self::User14,
        Self::User15,
    ];

    /// The semantic with this number, if there is one.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|semantic| semantic.code() == code)
    }

    /// Its number in the C interface.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// Formats that a stream of this semantic may have.
    pub const fn formats(self) -> &'static [Format] {
        match self {
            Self::Position | Self::Velocity | Self::AngularVelocity | Self::Normal => {
                &[Format::F32X3, Format::F32X4, Format::F64X3]
            }
            Self::Orientation => &[Format::QuatF32],
            Self::BirthFrame => &[Format::I32],
            Self::Flags | Self::Hit => &[Format::U32],
            Self::Alive | Self::Dead => &[Format::U8],
            _ => &[Format::F32],
        }
    }

    /// True if it stands for three numbers, whole.
    pub(super) fn is_vector(self) -> bool {
        self.formats().contains(&Format::F32X3)
    }

    /// What tells the dead from the living: a view has one of these at most.
    pub(crate) const VITAL: [Self; 3] = [Self::Flags, Self::Alive, Self::Dead];

    /// Vectors that may also be there by components.
    pub(super) const SPLITTABLE: [Self; 3] = [Self::Position, Self::Velocity, Self::AngularVelocity];

    /// For such a vector: the three semantics that hold its components in arrays of their own.
    pub(super) const fn components(self) -> Option<[Self; 3]> {
        match self {
            Self::Position => Some([Self::PositionX, Self::PositionY, Self::PositionZ]),
            Self::Velocity => Some([Self::VelocityX, Self::VelocityY, Self::VelocityZ]),
            Self::AngularVelocity => {
                Some([Self::AngularVelocityX, Self::AngularVelocityY, Self::AngularVelocityZ])
            }
            _ => None,
        }
    }
}

/// How one element of a stream is stored. The numbers are part of the C interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Format {
    /// One `f32`.
    F32 = 1,
    /// Three `f32`.
    F32X3 = 3,
    /// Four `f32`, of which x, y, z are used. The fourth belongs to the host: it is neither read nor written
    /// (compaction moves it along with its particle).
    F32X4 = 4,
    /// Three `f64`. Arithmetic is in `f32`, except that positions are advanced in `f64`.
    F64X3 = 5,
    /// Four `f32`, all of them used: the quaternion x, y, z, w (w is the real part).
    QuatF32 = 6,
    /// One `u32`.
    U32 = 7,
    /// One `i32`.
    I32 = 8,
    /// One byte: a C++ `bool`, for instance.
    U8 = 9,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 8] =
        [Self::F32, Self::F32X3, Self::F32X4, Self::F64X3, Self::QuatF32, Self::U32, Self::I32, Self::U8];

    /// The format with this number, if there is one.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.code() == code)
    }

    /// Its number in the C interface.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::F32X3 => 12,
            Self::F32X4 | Self::QuatF32 => 16,
            Self::F64X3 => 24,
        }
    }

    /// Bytes of one component, which is also the alignment that addresses must have.
    pub const fn component_size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F64X3 => 8,
            _ => 4,
        }
    }

    /// Bytes of one element that are read or written.
    pub(super) const fn touched(self) -> usize {
        match self {
            Self::F32X4 => 12,
            _ => self.size(),
        }
    }
}
