//! Sets the flags that linking a library for Node.js needs.

fn main() {
    napi_build::setup();
}
