//! The promises of fluid-threads, one file each, named after it: `cargo test -p vorton-threads --test
//! promises NAME` tests one. They are one program, because one program for each takes several times as long
//! to compile. Tests that count allocations of their process are separate programs, beside this folder.

#[path = "../hosts/mod.rs"]
mod hosts;

mod a_hosts_threads_help;
mod atomic_adds_lose_nothing;
mod every_scatter_adds_up_the_same;
mod executors_keep_their_contract;
