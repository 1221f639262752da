//! Level geometry in a recording.

/// Level geometry that snapshots contain as a hash; its arrays are next to each other in the recording.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelHeader {
    pub(crate) points: u32,
    pub(crate) triangles: u32,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) spacing: [f32; 2],
}
