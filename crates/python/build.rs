//! Sets the flags that linking a library for Python needs: on macOS, what the interpreter brings is found when it loads.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        for word in ["-undefined", "dynamic_lookup"] {
            println!("cargo::rustc-link-arg-cdylib={word}");
        }
    }
}
