// Draws smoke as soft splats in WebGL2: colours and weights are summed in any order into an image of half
// floats, nearer splats with more weight, and the image is composited over the floor and the ball.

const WIDTH = 5;

const SPLAT_VERTEX = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in float speed;
layout(location = 2) in float tag;
uniform mat4 camera;
uniform vec2 size;          // Of a splat [m], and pixels for a metre at distance 1.
uniform float topSpeed;
uniform float bySpeed;
uniform vec3 dyes[4];       // Slow and fast, of tag 0 and of tag 1.
uniform float middle;       // Distance of what is looked at.
out vec4 tint;
vec3 ramp(float t) {
    vec3 low = mix(vec3(0.10, 0.16, 0.45), vec3(0.15, 0.62, 0.85), smoothstep(0.0, 0.4, t));
    return mix(mix(low, vec3(1.0, 0.78, 0.32), smoothstep(0.3, 0.7, t)), vec3(1.0, 0.36, 0.16), smoothstep(0.7, 1.0, t));
}
void main() {
    gl_Position = camera * vec4(place, 1.0);
    float t = clamp(speed / topSpeed, 0.0, 1.0);
    int first = tag > 0.5 ? 2 : 0;
    vec3 dye = mix(dyes[first], dyes[first + 1], smoothstep(0.0, 1.0, t));
    float near = exp(2.2 * (1.0 - gl_Position.w / middle));
    tint = vec4(mix(dye, ramp(t), bySpeed), near);
    float wanted = size.x * size.y / gl_Position.w;
    gl_PointSize = max(wanted, 2.0);
    tint.a *= min(1.0, wanted * wanted / 4.0);
}`;

const SPLAT_FRAGMENT = `#version 300 es
precision highp float;
in vec4 tint;
uniform float opacity;
out vec4 color;
void main() {
    vec2 at = 2.0 * gl_PointCoord - 1.0;
    float r = dot(at, at);
    if (r > 1.0) discard;
    float weight = opacity * tint.a * exp(-3.0 * r) * (1.0 - r);
    color = vec4(tint.rgb * weight, weight);
}`;

const FULL_VERTEX = `#version 300 es
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);
}`;

const BACK_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
out vec4 color;
void main() {
    float r = length((at - vec2(0.5, 0.55)) * vec2(1.3, 1.0));
    float grain = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
    color = vec4(mix(vec3(0.062, 0.075, 0.110), vec3(0.016, 0.019, 0.031), smoothstep(0.0, 0.85, r)) + grain / 255.0, 1.0);
}`;

const SMOKE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D sums;
out vec4 color;
// How thick smoke is around a place, on the average of nine.
float thickness(vec2 place, vec2 step) {
    float sum = 0.0;
    for (int i = -1; i <= 1; ++i) for (int j = -1; j <= 1; ++j) sum += texture(sums, place + step * vec2(i, j)).a;
    return 1.0 - exp(-sum / 9.0);
}
void main() {
    vec4 sum = texture(sums, at);
    float cover = 1.0 - exp(-1.3 * sum.a);
    vec3 mean = sum.rgb / max(sum.a, 1e-5);
    // Where thickness falls off is the edge of a bulge, which faces that way: light comes from above left.
    vec2 step = vec2(0.0035 * float(textureSize(sums, 0).y)) / vec2(textureSize(sums, 0));
    float x = thickness(at + 2.0 * step * vec2(1, 0), step) - thickness(at - 2.0 * step * vec2(1, 0), step);
    float y = thickness(at + 2.0 * step * vec2(0, 1), step) - thickness(at - 2.0 * step * vec2(0, 1), step);
    vec3 normal = normalize(vec3(-x, -y, 0.45));
    float light = 0.62 + 0.62 * dot(normal, normalize(vec3(-0.45, 0.75, 0.5)));
    vec3 lit = mean * light * (0.72 + 0.50 * (1.0 - exp(-0.5 * sum.a)));
    color = vec4(lit * cover, cover);
}`;

const BALL_VERTEX = `#version 300 es
uniform mat4 camera;
uniform vec3 centre, right, up;
uniform float radius;
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    gl_Position = camera * vec4(centre + radius * (at.x * right + at.y * up), 1.0);
}`;

const BALL_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
uniform vec3 right, up, back;
uniform float isHeld;
out vec4 color;
void main() {
    float r = dot(at, at);
    if (r > 1.0) discard;
    vec3 normal = at.x * right + at.y * up + sqrt(1.0 - r) * back;
    vec3 light = normalize(vec3(-0.3, -0.5, 0.8));
    float diffuse = max(dot(normal, light), 0.0);
    float shine = pow(max(dot(reflect(-light, normal), back), 0.0), 40.0);
    vec3 base = mix(vec3(0.86, 0.33, 0.20), vec3(1.0, 0.58, 0.26), isHeld);
    float rim = pow(r, 4.0);
    color = vec4(base * (0.16 + 0.80 * diffuse) + 0.45 * shine + vec3(0.10, 0.14, 0.22) * rim, 1.0 - smoothstep(0.94, 1.0, r));
}`;

const FLOOR_VERTEX = `#version 300 es
uniform mat4 camera;
out vec2 place;
void main() {
    place = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * 6.0;
    gl_Position = camera * vec4(place, 0.0, 1.0);
}`;

const FLOOR_FRAGMENT = `#version 300 es
precision highp float;
in vec2 place;
out vec4 color;
void main() {
    vec2 cell = abs(fract(place * 2.0 - 0.5) - 0.5) / fwidth(place * 2.0);
    float line = 1.0 - min(min(cell.x, cell.y), 1.0);
    float fade = exp(-0.22 * dot(place, place));
    color = vec4(mix(vec3(0.10, 0.12, 0.17), vec3(0.24, 0.29, 0.38), line), (0.55 + 0.25 * line) * fade);
}`;

const EDGES_VERTEX = `#version 300 es
uniform mat4 camera;
uniform vec3 centre, halfEdges;
void main() {
    // Twelve edges, four along each axis, of two ends each.
    int axis = gl_VertexID >> 3;
    vec3 corner = vec3(gl_VertexID & 1, gl_VertexID >> 1 & 1, gl_VertexID >> 2 & 1) * 2.0 - 1.0;
    corner = axis == 0 ? corner : axis == 1 ? corner.zxy : corner.yzx;
    gl_Position = camera * vec4(centre + halfEdges * corner, 1.0);
}`;

const EDGES_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 tint;
out vec4 color;
void main() {
    color = tint;
}`;

function compile(gl, type, text) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    return shader;
}

/** Compiles a program, with the locations of its uniforms by name. */
function link(gl, vertex, fragment) {
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, vertex));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, fragment));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const at = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
        const { name } = gl.getActiveUniform(program, i);
        at[name.replace('[0]', '')] = gl.getUniformLocation(program, name);
    }
    return { program, at };
}

export class Renderer {
    constructor(canvas) {
        const gl = canvas.getContext('webgl2', { alpha: false, antialias: true, preserveDrawingBuffer: true });
        if (!gl) throw new Error('The picture needs WebGL2, which this browser does not have or which is switched off.');
        if (!gl.getExtension('EXT_color_buffer_float') && !gl.getExtension('EXT_color_buffer_half_float')) {
            throw new Error('The picture needs WebGL2 that draws into textures of half floats (EXT_color_buffer_float), which this browser does not have.');
        }
        Object.assign(this, { canvas, gl, count: 0, picture: null });
        this.splats = link(gl, SPLAT_VERTEX, SPLAT_FRAGMENT);
        this.back = link(gl, FULL_VERTEX, BACK_FRAGMENT);
        this.smoke = link(gl, FULL_VERTEX, SMOKE_FRAGMENT);
        this.ball = link(gl, BALL_VERTEX, BALL_FRAGMENT);
        this.floor = link(gl, FLOOR_VERTEX, FLOOR_FRAGMENT);
        this.edges = link(gl, EDGES_VERTEX, EDGES_FRAGMENT);
        this.buffer = gl.createBuffer();
        this.rows = gl.createVertexArray();
        this.nothing = gl.createVertexArray();
        this.describeRows();
    }

    describeRows() {
        const { gl } = this;
        gl.bindVertexArray(this.rows);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        [[0, 3, 0], [1, 1, 3], [2, 1, 4]].forEach(([place, size, offset]) => {
            gl.enableVertexAttribArray(place);
            gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * WIDTH, 4 * offset);
        });
    }

    /** Sets the smoke: rows of x y z, speed, tag. */
    setPoints(points, count) {
        const { gl } = this;
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, points.subarray(0, WIDTH * count), gl.STREAM_DRAW);
        this.count = count;
    }

    resize() {
        const { gl, canvas } = this;
        const scale = Math.min(window.devicePixelRatio || 1, 2);
        const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * scale)));
        if (this.picture && canvas.width === width && canvas.height === height) return;
        Object.assign(canvas, { width, height });
        if (this.picture) [gl.deleteTexture(this.picture), gl.deleteFramebuffer(this.target), gl.deleteRenderbuffer(this.depth)];
        this.picture = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, this.picture);
        gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA16F, width, height);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        this.depth = gl.createRenderbuffer();
        gl.bindRenderbuffer(gl.RENDERBUFFER, this.depth);
        gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
        this.target = gl.createFramebuffer();
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.picture, 0);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, this.depth);
    }

    /**
     * scene: { ball, radius, tank: null or { centre, half }, isHeld, hasFloor, dyes, topSpeed, bySpeed,
     * splat, opacity }; camera: see Camera.look.
     */
    draw(scene, camera) {
        const { gl, canvas } = this;
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
        gl.depthMask(true);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        this.drawSolidDepth(scene, camera);
        this.drawSplats(scene, camera);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        gl.disable(gl.DEPTH_TEST);
        gl.bindVertexArray(this.nothing);
        gl.disable(gl.BLEND);
        gl.useProgram(this.back.program);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        if (scene.hasFloor) this.drawFloor(camera);
        if (scene.ball) this.drawBall(scene, camera);
        if (scene.tank) this.drawTank(scene, camera, 0.8);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        gl.useProgram(this.smoke.program);
        gl.bindTexture(gl.TEXTURE_2D, this.picture);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        if (scene.tank) this.drawTank(scene, camera, 0.3);
    }

    /** Draws the ball's depth, which hides smoke behind it. */
    drawSolidDepth(scene, camera) {
        const { gl } = this;
        gl.enable(gl.DEPTH_TEST);
        if (!scene.ball) return;
        gl.colorMask(false, false, false, false);
        this.drawBall(scene, camera);
        gl.colorMask(true, true, true, true);
    }

    drawSplats({ dyes, topSpeed, bySpeed, splat, opacity }, camera) {
        const { gl, splats: { program, at } } = this;
        gl.useProgram(program);
        gl.bindVertexArray(this.rows);
        gl.depthMask(false);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE);
        gl.uniformMatrix4fv(at.camera, false, camera.matrix);
        gl.uniform2f(at.size, splat, camera.scale * this.canvas.height);
        gl.uniform1f(at.topSpeed, topSpeed);
        gl.uniform1f(at.bySpeed, bySpeed);
        gl.uniform1f(at.middle, camera.distance);
        gl.uniform1f(at.opacity, opacity);
        gl.uniform3fv(at.dyes, dyes.flat());
        gl.drawArrays(gl.POINTS, 0, this.count);
    }

    drawBall({ ball, radius, isHeld }, camera) {
        const { gl, ball: { program, at } } = this;
        gl.useProgram(program);
        gl.bindVertexArray(this.nothing);
        gl.uniformMatrix4fv(at.camera, false, camera.matrix);
        gl.uniform3fv(at.centre, ball);
        gl.uniform3fv(at.right, camera.right);
        gl.uniform3fv(at.up, camera.up);
        gl.uniform3fv(at.back, camera.back);
        gl.uniform1f(at.radius, radius);
        gl.uniform1f(at.isHeld, isHeld ? 1 : 0);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    /** Draws the tank's edges: behind the smoke, and again, fainter, over it. */
    drawTank({ tank: { centre, half }, isHeld }, camera, opacity) {
        const { gl, edges: { program, at } } = this;
        gl.useProgram(program);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.uniformMatrix4fv(at.camera, false, camera.matrix);
        gl.uniform3fv(at.centre, centre);
        gl.uniform3fv(at.halfEdges, half);
        gl.uniform4fv(at.tint, [...(isHeld ? [1.0, 0.71, 0.40] : [0.70, 0.78, 0.90]), opacity]);
        gl.drawArrays(gl.LINES, 0, 24);
    }

    drawFloor(camera) {
        const { gl, floor: { program, at } } = this;
        gl.useProgram(program);
        gl.uniformMatrix4fv(at.camera, false, camera.matrix);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Looks at a target from a distance: yaw and pitch [rad], z up. */
export class Camera {
    constructor() {
        Object.assign(this, { target: [0, 0, 0], distance: 5, yaw: 0, pitch: 0, aspect: 1, scale: 1.0 / (2 * Math.tan(0.35)) });
        this.look();
    }

    /** Computes axes and matrix from the parameters. */
    look() {
        const { yaw, pitch, distance, target, aspect, scale } = this;
        const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
        this.back = [cp * cy, cp * sy, sp];
        this.right = [-sy, cy, 0];
        this.up = [-sp * cy, -sp * sy, cp];
        this.eye = target.map((t, i) => t + distance * this.back[i]);
        const [near, far] = [0.05 * distance, 20 * distance];
        const rows = [this.right.map((x) => 2 * scale * x / aspect), this.up.map((x) => 2 * scale * x),
            this.back.map((x) => -x * (far + near) / (far - near)), this.back.map((x) => -x)];
        const shifts = rows.map((row) => -dot(row, this.eye));
        shifts[2] -= 2 * far * near / (far - near);
        this.matrix = new Float32Array([0, 1, 2].flatMap((c) => rows.map((row) => row[c])).concat(shifts));
    }

    /** Projects a point to the screen, from -1 to 1, and returns its depth. */
    project(point) {
        const m = this.matrix;
        const [x, y, , w] = [0, 1, 2, 3].map((r) => m[r] * point[0] + m[4 + r] * point[1] + m[8 + r] * point[2] + m[12 + r]);
        return { x: x / w, y: y / w, depth: w };
    }

    /** Returns the point at (x, y) on the screen at this depth. */
    unproject(x, y, depth) {
        const [along, above] = [x * depth * this.aspect / (2 * this.scale), y * depth / (2 * this.scale)];
        return this.eye.map((e, i) => e - depth * this.back[i] + along * this.right[i] + above * this.up[i]);
    }
}
