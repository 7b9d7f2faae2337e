; All that it defines is defined by a module of WebAssembly.
