//! The report's pictures, as SVG.

use crate::phases::{COLUMNS, SceneTimes};
use crate::solvers::{CLOUDS, Sizes};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::path::Path;

type Drawn = Result<(), Box<dyn Error>>;

/// Colours of stages, solvers and lines: distinguishable with any kind of colour vision.
const COLOURS: [RGBColor; 8] = [
    RGBColor(31, 98, 176),
    RGBColor(222, 130, 20),
    RGBColor(30, 140, 70),
    RGBColor(190, 30, 45),
    RGBColor(130, 90, 180),
    RGBColor(90, 180, 220),
    RGBColor(120, 80, 50),
    RGBColor(170, 170, 170),
];

fn font(size: u32) -> FontDesc<'static> {
    ("sans-serif", size).into_font()
}

/// Milliseconds of a step against the number of vortons.
pub(crate) fn time_by_count(sizes: &[Sizes], path: &Path) -> Drawn {
    let root = SVGBackend::new(path, (1280, 620)).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(80);
    head.draw(&Text::new("A step without tracers, one thread: time against vortons", (20, 14), font(22)))?;
    for (i, name) in ["direct sum", "mesh"].into_iter().enumerate() {
        let x = 20 + 160 * i as i32;
        head.draw(&PathElement::new([(x, 58), (x + 30, 58)], COLOURS[i].stroke_width(3)))?;
        head.draw(&Text::new(name, (x + 38, 50), font(17)))?;
    }
    let key = "circles: Auto; dashed: the direct sum continued with the square of the number";
    head.draw(&Text::new(key, (340, 50), font(17)))?;
    for (cloud, area) in CLOUDS.into_iter().zip(body.split_evenly((1, CLOUDS.len()))) {
        let rows: Vec<&Sizes> = sizes.iter().filter(|row| row.cloud == cloud).collect();
        panel_of_sizes(cloud, &rows, &area)?;
    }
    root.present()?;
    Ok(())
}

fn panel_of_sizes(
    cloud: &str,
    rows: &[&Sizes],
    area: &DrawingArea<SVGBackend, plotters::coord::Shift>,
) -> Drawn {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
    let count = |row: &Sizes| row.count as f64;
    let longest =
        rows.iter().map(|row| row.direct.unwrap_or(0.0).max(row.mesh).max(row.auto)).fold(1.0, f64::max);
    let top = 10.0_f64.powf(longest.log10().ceil());
    let mut chart = ChartBuilder::on(area)
        .caption(cloud, font(19))
        .margin(12)
        .margin_right(28)
        .x_label_area_size(44)
        .y_label_area_size(66)
        .build_cartesian_2d((count(first)..count(last)).log_scale().base(2.0), (0.01..top).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("vortons")
        .y_desc("ms a step")
        .x_labels(11)
        .x_label_formatter(&|count| {
            if *count < 1024.0 { format!("{count:.0}") } else { format!("{:.0}k", count / 1024.0) }
        })
        .y_label_formatter(&|ms| format!("{ms}"))
        .label_style(font(14))
        .axis_desc_style(font(15))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let direct: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((count(row), row.direct?))).collect();
    if let Some(&(from, ms)) = direct.last() {
        // Clipped at the upper edge of the panel.
        let to = (from * (top / ms).sqrt()).min(count(last));
        let line = [(from, ms), (to, ms * (to / from).powi(2))];
        chart.draw_series(DashedLineSeries::new(line, 6, 5, COLOURS[0].stroke_width(2)))?;
    }
    chart.draw_series(LineSeries::new(direct, COLOURS[0].stroke_width(3)))?;
    let mesh = rows.iter().map(|row| (count(row), row.mesh));
    chart.draw_series(LineSeries::new(mesh, COLOURS[1].stroke_width(3)))?;
    chart
        .draw_series(rows.iter().map(|row| Circle::new((count(row), row.auto), 6, BLACK.stroke_width(2))))?;
    Ok(())
}

/// Height of a bar, and of a scene's two bars with the gap below them \[pixels\].
const BAR: i32 = 15;
const SCENE: i32 = 44;
/// Least left and largest right end of the bars \[pixels\].
const LEFT: i32 = 250;
const RIGHT: i32 = 1230;

/// Draws the time of each stage in a step of each developed scene: with one thread above, with all below.
pub(crate) fn frame_by_phase(scenes: &[SceneTimes], path: &Path) -> Drawn {
    let height = 130 + SCENE * scenes.len() as i32 + 40;
    let root = SVGBackend::new(path, (1280, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let title = "A step of the developed scenes by stage [ms]: one thread above, all threads below";
    root.draw(&Text::new(title, (20, 14), font(22)))?;
    let names = COLUMNS.iter().map(|stage| stage.name()).chain(["other"]);
    for (i, name) in names.enumerate() {
        let x = 20 + 130 * i as i32;
        root.draw(&Rectangle::new([(x, 58), (x + 20, 74)], COLOURS[i].filled()))?;
        root.draw(&Text::new(name, (x + 28, 58), font(17)))?;
    }
    let longest = scenes.iter().map(|scene| scene.late.serial().median()).fold(0.0, f64::max);
    let scale = f64::from(RIGHT - LEFT - 60) / longest;
    let bottom = 130 + SCENE * scenes.len() as i32;
    draw_axis(&root, scale, longest, bottom)?;
    for (row, scene) in scenes.iter().enumerate() {
        let y = 130 + SCENE * row as i32;
        let late = &scene.late;
        let name = format!("{}, {:.1} s", late.scene, late.second);
        root.draw(&Text::new(
            name,
            (LEFT - 10, y + BAR),
            font(17).into_text_style(&root).pos(Pos::new(HPos::Right, VPos::Center)),
        ))?;
        let timings = [late.timings.first(), late.timings.last()];
        for (bar, timing) in timings.into_iter().flatten().enumerate() {
            let y = y + bar as i32 * BAR;
            let mut sum = 0.0;
            for (time, colour) in timing.stages().into_iter().zip(COLOURS) {
                let at = |time: f64| LEFT + (time * scale).round() as i32;
                root.draw(&Rectangle::new([(at(sum), y), (at(sum + time), y + BAR - 2)], colour.filled()))?;
                sum += time;
            }
            let end = LEFT + (sum * scale).round() as i32;
            root.draw(&Text::new(format!("{:.1}", timing.median()), (end + 6, y), font(13)))?;
        }
    }
    root.present()?;
    Ok(())
}

/// Lines at round numbers of milliseconds.
fn draw_axis(
    root: &DrawingArea<SVGBackend, plotters::coord::Shift>,
    scale: f64,
    longest: f64,
    bottom: i32,
) -> Drawn {
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0].into_iter().find(|step| longest / step <= 8.0);
    let step = step.unwrap_or(500.0);
    let mut at = 0.0;
    while at <= longest {
        let x = LEFT + (at * scale).round() as i32;
        root.draw(&PathElement::new([(x, 112), (x, bottom)], RGBColor(210, 210, 210)))?;
        let style = font(14).into_text_style(root).pos(Pos::new(HPos::Center, VPos::Center));
        root.draw(&Text::new(format!("{at}"), (x, 102), style))?;
        at += step;
    }
    Ok(())
}

/// Draws the speed relative to one thread.
pub(crate) fn speed_up(threads: &[usize], lines: &[(String, Vec<f64>)], path: &Path) -> Drawn {
    let root = SVGBackend::new(path, (1080, 640)).into_drawing_area();
    root.fill(&WHITE)?;
    let (chart, key) = root.split_horizontally(720);
    let most = threads.iter().copied().max().unwrap_or(1).max(2) as f64;
    let least = lines.iter().flat_map(|(_, ratios)| ratios).fold(0.9, |least, ratio| ratio.min(least));
    let mut chart = ChartBuilder::on(&chart)
        .caption("Speed-up against threads", font(22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(58)
        .build_cartesian_2d(
            (1.0..most).log_scale().base(2.0),
            ((0.95 * least)..(1.1 * most)).log_scale().base(2.0),
        )?;
    chart
        .configure_mesh()
        .x_desc("threads")
        .y_desc("times as fast as one thread")
        .x_labels(threads.len().max(2))
        .y_labels(6)
        .x_label_formatter(&|threads| format!("{threads:.0}"))
        .y_label_formatter(&|ratio| format!("{ratio:.1}"))
        .label_style(font(14))
        .axis_desc_style(font(15))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let ideal = threads.iter().map(|&threads| (threads as f64, threads as f64));
    chart.draw_series(DashedLineSeries::new(ideal, 6, 5, BLACK.stroke_width(1)))?;
    key.draw(&Text::new("dashed: as many times as there are threads", (10, 54), font(15)))?;
    for (i, (name, ratios)) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        // The first eight lines are thick, the others thin.
        let width = if i < COLOURS.len() { 4 } else { 1 };
        let line = threads.iter().zip(ratios).map(|(&threads, &ratio)| (threads as f64, ratio));
        chart.draw_series(LineSeries::new(line, colour.stroke_width(width)))?;
        let y = 84 + 24 * i as i32;
        key.draw(&PathElement::new([(10, y + 8), (40, y + 8)], colour.stroke_width(width)))?;
        let last = ratios.last().copied().unwrap_or(f64::NAN);
        key.draw(&Text::new(format!("{name}: {last:.2}"), (50, y), font(16)))?;
    }
    root.present()?;
    Ok(())
}
