//! Makes films of scenes. `fluid-film --help` lists the options.

use fluid_film::animation::{Timing, encode};
use fluid_film::film::{Format, frames, moments, spectra};
use fluid_film::look::Look;
use fluid_film::looks::{self, FILMS, STRIPS};
use fluid_film::picture::Picture;
use fluid_film::spectrum::{slopes, wavenumbers};
use fluid_threads::{Executor, Pool, Serial};
use indicatif::{ProgressBar, ProgressStyle};
use lexopt::ValueExt;
use lexopt::prelude::{Long, Short, Value};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const HELP: &str = "\
fluid-film SCENE [options]     a film of a scene
fluid-film all FOLDER          the films and pictures of README.md and docs/gallery.md

  --out FILE.webp              the film                                  [SCENE.webp]
  --frames N                   number of frames                          [60]
  --fps N                      frames per second when played             [15]
  --seconds S                  time of the scene that the film shows     [the scene's]
  --from S                     time of the scene at the first frame      [the scene's]
  --size WIDTHxHEIGHT          pixels                                    [640x480]
  --tracers N                  number of tracers                         [1000000]
  --kilobytes N                most size of the film                     [450]
  --moments S,S,...            pictures of these moments instead, side by side
  --spectra                    energy spectra of these moments instead, as a table
  --threads N                  number of threads                         [all]
";

/// Time for which the last frame stays \[ms\].
const PAUSE: u32 = 900;

struct Options {
    names: Vec<String>,
    out: Option<PathBuf>,
    format: Format,
    fps: u32,
    seconds: Option<f32>,
    from: Option<f32>,
    limit: usize,
    moments: Vec<f32>,
    spectra: bool,
    threads: usize,
}

fn main() -> Outcome {
    let options = options()?;
    let exec: Box<dyn Executor> = match options.threads {
        1 => Box::new(Serial),
        threads => Box::new(Pool::new(threads)?),
    };
    match options.names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["all", folder] => all(&*exec, &options, Path::new(folder)),
        [name] => one(&*exec, &options, name),
        _ => Err(HELP.into()),
    }
}

/// Makes every film and picture of the documents.
fn all(exec: &dyn Executor, options: &Options, folder: &Path) -> Outcome {
    for film in FILMS {
        let format = Format { size: film.size, frames: film.frames, tracers: film.tracers };
        let limit = film.kilobytes * 1000;
        let look = look(film.scene)?;
        shoot(exec, &look, format, film.fps, limit, &folder.join(format!("film_{}.webp", film.scene)))?;
    }
    for strip in STRIPS {
        let format = Format { size: strip.size, ..options.format };
        let look = look(strip.scene)?;
        develop(exec, &look, format, strip.moments, &folder.join(format!("gallery_{}.webp", strip.name)))?;
    }
    Ok(())
}

fn one(exec: &dyn Executor, options: &Options, name: &str) -> Outcome {
    let mut look = look(name)?;
    look.seconds = options.seconds.unwrap_or(look.seconds);
    look.from = options.from.unwrap_or(look.from);
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.webp")));
    if options.spectra {
        measure(exec, &look, &options.moments)
    } else if options.moments.is_empty() {
        shoot(exec, &look, options.format, options.fps, options.limit, &out)
    } else {
        develop(exec, &look, options.format, &options.moments, &out)
    }
}

fn look(name: &str) -> Outcome<Look> {
    let names = || fluid_scenes::all().iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ");
    looks::by_name(name).ok_or_else(|| format!("no scene {name:?}; there are {}", names()).into())
}

/// Makes a film.
fn shoot(exec: &dyn Executor, look: &Look, format: Format, fps: u32, limit: usize, out: &Path) -> Outcome {
    let start = Instant::now();
    let bar = bar(look, format.frames);
    let frames = frames(exec, look, format, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let per_frame = start.elapsed().as_secs_f64() / frames.len() as f64;
    let (file, quality) = encode(&frames, Timing { frame: 1000 / fps, last: PAUSE }, limit)?;
    std::fs::write(out, &file)?;
    println!("{}: {} KB, quality {quality}, {per_frame:.2} s a frame", out.display(), file.len() / 1000);
    Ok(())
}

/// Makes pictures of moments, side by side.
fn develop(exec: &dyn Executor, look: &Look, format: Format, times: &[f32], out: &Path) -> Outcome {
    /// Quality of still pictures.
    const QUALITY: f32 = 94.0;
    let bar = bar(look, times.len());
    let pictures = moments(exec, look, format, times, &|| bar.inc(1))?;
    bar.finish_and_clear();
    Picture::beside(&pictures).write(out, QUALITY)?;
    println!("{}", out.display());
    Ok(())
}

/// Prints the energy spectra of moments: wavenumbers, and below each spectrum its exponents.
fn measure(exec: &dyn Executor, look: &Look, times: &[f32]) -> Outcome {
    /// Largest wavenumber, times the core radius \[1\]: below a hundredth of the energy is beyond it.
    const LAST: f64 = 4.0;
    /// Largest scale, as a multiple of the core radius.
    const LARGEST: f64 = 64.0;
    let core = f64::from(look.scene.core_radius);
    let wavenumbers = wavenumbers(std::f64::consts::TAU / (LARGEST * core), LAST / core, 13);
    let bar = bar(look, times.len());
    let spectra = spectra(exec, look, times, &wavenumbers, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let row = |name: &str, values: &[f64], digits: usize| {
        let cells: Vec<_> = values.iter().map(|value| format!("{value:.digits$}")).collect();
        println!("| {name} | {} |", cells.join(" | "));
    };
    let cores: Vec<f64> = wavenumbers.iter().map(|k| k * core).collect();
    row("k sigma", &cores, 2);
    println!("|{}", " ---: |".repeat(wavenumbers.len() + 1));
    for (time, spectrum) in times.iter().zip(&spectra) {
        let most = spectrum.iter().copied().fold(0.0, f64::max);
        if most == 0.0 {
            println!("at {time} s the fluid is at rest");
            continue;
        }
        let relative: Vec<f64> = spectrum.iter().map(|energy| energy / most).collect();
        row(&format!("E at {time} s, of its maximum"), &relative, 4);
        row("exponent, up to the next", &slopes(&wavenumbers, spectrum), 1);
    }
    Ok(())
}

fn bar(look: &Look, len: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}").expect("a valid template");
    ProgressBar::new(len as u64).with_style(style).with_message(look.scene.name)
}

fn options() -> Outcome<Options> {
    let mut options = Options {
        names: Vec::new(),
        out: None,
        format: Format { size: [640, 480], frames: 60, tracers: 1_000_000 },
        fps: 15,
        seconds: None,
        from: None,
        limit: 450_000,
        moments: Vec::new(),
        spectra: false,
        threads: std::thread::available_parallelism()?.get(),
    };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => {
                print!("{HELP}");
                std::process::exit(0);
            }
            Long("out") => options.out = Some(text(&mut arguments)?.into()),
            Long("frames") => options.format.frames = text(&mut arguments)?.parse::<usize>()?.max(1),
            Long("fps") => options.fps = text(&mut arguments)?.parse::<u32>()?.clamp(1, 100),
            Long("seconds") => options.seconds = Some(text(&mut arguments)?.parse()?),
            Long("from") => options.from = Some(text(&mut arguments)?.parse()?),
            Long("size") => options.format.size = size(&text(&mut arguments)?)?,
            Long("tracers") => options.format.tracers = text(&mut arguments)?.parse::<usize>()?.max(1),
            Long("kilobytes") => options.limit = text(&mut arguments)?.parse::<usize>()? * 1000,
            Long("moments") => {
                options.moments =
                    text(&mut arguments)?.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            Long("spectra") => options.spectra = true,
            Long("threads") => options.threads = text(&mut arguments)?.parse::<usize>()?.max(1),
            Value(name) => options.names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

fn text(arguments: &mut lexopt::Parser) -> Outcome<String> {
    Ok(arguments.value()?.string()?)
}

fn size(text: &str) -> Outcome<[usize; 2]> {
    let (width, height) = text.split_once('x').ok_or("a size is WIDTHxHEIGHT")?;
    Ok([width.parse::<usize>()?.clamp(16, 4096), height.parse::<usize>()?.clamp(16, 4096)])
}
