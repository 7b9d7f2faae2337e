//! std.zig.Ast: containers and their members, functions, values, named tests; nothing in functions.
const std = @import("std");
const Ast = std.zig.Ast;
const Node = Ast.Node.Index;

const Judge = struct {
    ast: *const Ast,
    path: []const u8,
    out: std.io.AnyWriter,
    gpa: std.mem.Allocator,
    seen: *std.AutoHashMap(Node, void),

    fn put(self: Judge, token: Ast.TokenIndex, scope: ?[]const u8, kind: []const u8) !void {
        var name = self.ast.tokenSlice(token);
        if (std.mem.startsWith(u8, name, "@\"")) name = name[1..];
        if (name[0] == '"') name = name[1 .. name.len - 1];
        if (std.mem.eql(u8, name, "_")) return;
        const at = self.ast.tokenLocation(0, token);
        try self.out.print("{{\"path\": \"{s}\", \"line\": {d}, \"name\": ", .{ self.path, at.line + 1 });
        try self.text(name);
        if (scope) |container| {
            try self.out.writeAll(", \"container\": ");
            try self.text(container);
        }
        try self.out.print(", \"kind\": \"{s}\"}}\n", .{kind});
    }

    fn text(self: Judge, value: []const u8) !void {
        try self.out.writeByte('"');
        for (value) |each| switch (each) {
            '"', '\\' => try self.out.print("\\{c}", .{each}),
            else => try self.out.writeByte(if (each < ' ') ' ' else each),
        };
        try self.out.writeByte('"');
    }

    fn join(self: Judge, owner: ?[]const u8, token: Ast.TokenIndex) !?[]const u8 {
        const scope = owner orelse return null;
        var name = self.ast.tokenSlice(token);
        if (std.mem.startsWith(u8, name, "@\"")) name = name[2 .. name.len - 1];
        return if (scope.len == 0) name else try std.fmt.allocPrint(self.gpa, "{s}.{s}", .{ scope, name });
    }

    /// Reports the members of a container, which may be the file.
    fn members(self: Judge, nodes: []const Node, scope: ?[]const u8, tags: bool) anyerror!void {
        for (nodes) |node| try self.member(node, scope, tags);
    }

    fn member(self: Judge, node: Node, scope: ?[]const u8, tags: bool) anyerror!void {
        const ast = self.ast;
        const first = ast.nodes.items(.main_token);
        if (ast.fullVarDecl(node)) |decl| {
            const name = decl.ast.mut_token + 1;
            const value = decl.ast.init_node;
            var kind: []const u8 = if (ast.tokens.items(.tag)[decl.ast.mut_token] == .keyword_const) "const" else "var";
            if (value != 0) {
                var buffer: [2]Node = undefined;
                const inside = try self.join(scope, name);
                if (ast.fullContainerDecl(&buffer, value)) |container| {
                    const word = ast.tokens.items(.tag)[container.ast.main_token];
                    kind = if (word == .keyword_enum) "enum" else "struct";
                    try self.put(name, scope, kind);
                    try self.seen.put(value, {});
                    return self.members(container.ast.members, inside, word == .keyword_enum);
                }
                if (ast.nodes.items(.tag)[value] == .error_set_decl) {
                    try self.put(name, scope, "errors");
                    return self.errors(value, inside);
                }
                if (self.imports(value)) return;
            }
            return self.put(name, scope, kind);
        }
        var one: [1]Node = undefined;
        if (ast.fullFnProto(&one, node)) |proto| {
            const name = proto.name_token orelse return;
            try self.put(name, scope, "fn");
            if (ast.nodes.items(.tag)[node] == .fn_decl) try self.returned(ast.nodes.items(.data)[node].rhs, try self.join(scope, name));
            return;
        }
        if (ast.fullContainerField(node)) |field| {
            if (!field.ast.tuple_like or tags) try self.put(field.ast.main_token, scope, if (tags) "tag" else "field");
            return;
        }
        if (ast.nodes.items(.tag)[node] == .test_decl and ast.nodes.items(.data)[node].lhs != 0)
            try self.put(first[node] + 1, scope, "test");
    }

    /// Returns the type that a function makes: `return struct {...};` at the top of its body has no name of its own.
    fn returned(self: Judge, body: Node, scope: ?[]const u8) !void {
        var buffer: [2]Node = undefined;
        const statements = switch (self.ast.nodes.items(.tag)[body]) {
            .block_two, .block_two_semicolon => two: {
                const data = self.ast.nodes.items(.data)[body];
                buffer = .{ data.lhs, data.rhs };
                break :two buffer[0..@as(usize, if (data.lhs == 0) 0 else if (data.rhs == 0) 1 else 2)];
            },
            .block, .block_semicolon => self.ast.extra_data[self.ast.nodes.items(.data)[body].lhs..self.ast.nodes.items(.data)[body].rhs],
            else => return,
        };
        for (statements) |each| {
            if (self.ast.nodes.items(.tag)[each] != .@"return") continue;
            var inner: [2]Node = undefined;
            const value = self.ast.nodes.items(.data)[each].lhs;
            if (value == 0) continue;
            if (self.ast.fullContainerDecl(&inner, value)) |container| {
                try self.seen.put(value, {});
                try self.members(container.ast.members, scope, self.ast.tokens.items(.tag)[container.ast.main_token] == .keyword_enum);
            }
        }
    }

    /// Reports unnamed types, and those in functions; the containers of their members are not compared.
    fn unnamed(self: Judge) !void {
        for (0..self.ast.nodes.len) |index| {
            const node: Node = @intCast(index);
            if (node == 0 or self.seen.contains(node)) continue;
            var inner: [2]Node = undefined;
            if (self.ast.fullContainerDecl(&inner, node)) |container|
                try self.members(container.ast.members, null, self.ast.tokens.items(.tag)[container.ast.main_token] == .keyword_enum);
            if (self.ast.nodes.items(.tag)[node] == .error_set_decl) try self.errors(node, null);
        }
    }

    fn errors(self: Judge, node: Node, scope: ?[]const u8) !void {
        try self.seen.put(node, {});
        const last = self.ast.nodes.items(.data)[node].rhs;
        var token = self.ast.nodes.items(.main_token)[node] + 2;
        while (token < last) : (token += 1)
            if (self.ast.tokens.items(.tag)[token] == .identifier) try self.put(token, scope, "error");
    }

    /// Whether a value is `@import(...)` or a path that begins with one.
    fn imports(self: Judge, value: Node) bool {
        var node = value;
        while (self.ast.nodes.items(.tag)[node] == .field_access) node = self.ast.nodes.items(.data)[node].lhs;
        return std.mem.eql(u8, self.ast.tokenSlice(self.ast.firstToken(node)), "@import");
    }
};

pub fn main() !void {
    var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);
    const gpa = arena.allocator();
    const input = try std.io.getStdIn().readToEndAlloc(gpa, 1 << 30);
    var buffered = std.io.bufferedWriter(std.io.getStdOut().writer());
    var paths = std.mem.tokenizeScalar(u8, input, '\n');
    while (paths.next()) |path| {
        const text = try std.fs.cwd().readFileAllocOptions(gpa, path, 1 << 30, null, 1, 0);
        const ast = try Ast.parse(gpa, text, if (std.mem.endsWith(u8, path, ".zon")) .zon else .zig);
        const out = buffered.writer().any();
        if (ast.errors.len > 0) {
            try out.print("{{\"path\": \"{s}\", \"error\": \"syntax\"}}\n", .{path});
            continue;
        }
        if (std.mem.endsWith(u8, path, ".zon")) continue;
        var seen = std.AutoHashMap(Node, void).init(gpa);
        const judge = Judge{ .ast = &ast, .path = path, .out = out, .gpa = gpa, .seen = &seen };
        try judge.members(ast.rootDecls(), "", false);
        try judge.unnamed();
    }
    try buffered.flush();
}
