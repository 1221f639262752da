//! Meaning and storage format of streams.

/// Bit of [`Semantic::Flags`] that marks a particle as dead; operations skip it.
pub const DEAD: u32 = 1;

/// Meaning of a stream. The numbers are part of the C interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Semantic {
    /// Position \[m\]: three components.
    Position = 1,
    /// Velocity \[m/s\]: three components.
    Velocity = 2,
    /// Age \[s\]: `f32`.
    Age = 3,
    /// Age at which the particle dies \[s\]: `f32`.
    Lifetime = 4,
    /// Number of the frame in which the particle was emitted: `i32`.
    BirthFrame = 5,
    /// Bits: `u32`. Bit 0 is [`DEAD`], the others belong to the host. Excludes [`Alive`](Self::Alive) and
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
    /// Orientation: the unit quaternion x, y, z, w that rotates the particle's axes into the world's.
    Orientation = 11,
    /// Body that the particle met when it was last [collided](crate::ops::Collide): index in the list of
    /// bodies plus 1, or 0 for none: `u32`.
    Hit = 12,
    /// Unit normal of the surface that it met then, pointing into the fluid; 0 if none: three components,
    /// in one array.
    Normal = 13,
    /// 0: dead, skipped; anything else: alive. `u8`. Killing a particle writes 0.
    Alive = 14,
    /// 0: alive; anything else: dead, skipped. `u8`. Killing a particle writes 1.
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
    /// Attribute 0 of the host: `f32`. Emission fills it, compaction moves it, and
    /// [`SampleScalar`](crate::ops::SampleScalar) writes it if it is the target; no other operation touches
    /// it.
    User0 = 64,
    /// Attribute 1 of the host.
    User1 = 65,
    /// Attribute 2 of the host.
    User2 = 66,
    /// Attribute 3 of the host.
    User3 = 67,
    /// Attribute 4 of the host.
    User4 = 68,
    /// Attribute 5 of the host.
    User5 = 69,
    /// Attribute 6 of the host.
    User6 = 70,
    /// Attribute 7 of the host.
    User7 = 71,
    /// Attribute 8 of the host.
    User8 = 72,
    /// Attribute 9 of the host.
    User9 = 73,
    /// Attribute 10 of the host.
    User10 = 74,
    /// Attribute 11 of the host.
    User11 = 75,
    /// Attribute 12 of the host.
    User12 = 76,
    /// Attribute 13 of the host.
    User13 = 77,
    /// Attribute 14 of the host.
    User14 = 78,
    /// Attribute 15 of the host.
    User15 = 79,
}

impl Semantic {
    /// All semantics, in the order of their numbers.
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

    /// Returns the semantic with this number, if it exists.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|semantic| semantic.code() == code)
    }

    /// Returns the number in the C interface.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// Returns the formats that a stream of this semantic may have.
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

    /// Returns true for a vector stored whole.
    pub(super) fn is_vector(self) -> bool {
        self.formats().contains(&Format::F32X3)
    }

    /// Semantics that tell dead particles from live ones: a view has at most one of them.
    pub(crate) const VITAL: [Self; 3] = [Self::Flags, Self::Alive, Self::Dead];

    /// Vectors that may also be stored by components.
    pub(super) const SPLITTABLE: [Self; 3] = [Self::Position, Self::Velocity, Self::AngularVelocity];

    /// Returns, for such a vector, the three semantics of its components in separate arrays.
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

/// Storage format of one element of a stream. The numbers are part of the C interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Format {
    /// One `f32`.
    F32 = 1,
    /// Three `f32`.
    F32X3 = 3,
    /// Four `f32`, of which x, y, z are used. The fourth belongs to the host: it is neither read nor
    /// written (compaction moves it along with its particle).
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
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::F32, Self::F32X3, Self::F32X4, Self::F64X3, Self::QuatF32, Self::U32, Self::I32, Self::U8];

    /// Returns the format with this number, if it exists.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.code() == code)
    }

    /// Returns the number in the C interface.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// Returns the bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::F32X3 => 12,
            Self::F32X4 | Self::QuatF32 => 16,
            Self::F64X3 => 24,
        }
    }

    /// Returns the bytes of one component, which is also the required alignment of addresses.
    pub const fn component_size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F64X3 => 8,
            _ => 4,
        }
    }

    /// Returns the bytes of one element that are read or written.
    pub(super) const fn touched(self) -> usize {
        match self {
            Self::F32X4 => 12,
            _ => self.size(),
        }
    }
}
