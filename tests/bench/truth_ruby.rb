# Links of a Ruby project, from the calls of methods while its tests run.
#
# TRUTH_ROOT=ROOT TRUTH_INTO=FILE ruby -r./truth_ruby.rb ...: writes rows at the end. A call has the
# line of its caller, the line that defines the method, and those of the methods that this one overrides.
require "json"
require "set"

module Truth
  ROOT = "#{File.realpath(ENV.fetch("TRUTH_ROOT"))}/"
  CALLS = {}
  SEEN = Set.new
  KEPT = []

  def self.inside(path)
    return unless path
    path = File.expand_path(path)
    path.delete_prefix(ROOT) if path.start_with?(ROOT)
  end

  def self.place(location)
    path = location && inside(location[0])
    [path, location[1]] if path
  end

  # What the method overrides.
  def self.above(owner, name)
    method = owner.instance_method(name)
    found = []
    while (method = method.super_method)
      found << place(method.source_location)
    end
    found.compact
  rescue NameError
    []
  end

  # The modules that a class or module itself includes.
  def self.direct(of)
    all = of.ancestors - [of]
    above = of.is_a?(Class) && of.superclass ? of.superclass.ancestors : []
    all -= above
    inner = all.flat_map { |one| one.ancestors - [one] }
    all - inner
  end

  def self.where(of)
    name = of.name
    place(Object.const_source_location(name)) if name.is_a?(String) && !name.start_with?("#")
  rescue NameError
    nil
  end

  def self.heirs
    ObjectSpace.each_object(Module).flat_map do |of|
      own = where(of)
      next [] unless own
      bases = direct(of) + direct(of.singleton_class).grep_v(Class)
      bases << of.superclass if of.is_a?(Class) && of.superclass
      bases.uniq.filter_map { |base| [*own, *where(base)] if where(base) && where(base) != own }
    end
  end

  TRACE = TracePoint.new(:call) do |call|
    location = caller_locations(2, 1)&.first
    next unless location
    key = [location.path, location.lineno, call.path, call.lineno, call.callee_id]
    next unless SEEN.add?(key)
    from, to = inside(location.path), inside(call.path)
    next unless from
    above = to ? above(call.defined_class, call.method_id) : []
    CALLS[key] = [from, location.lineno, call.callee_id.to_s, to || "", call.lineno, call.method_id == call.callee_id, above]
  end

  at_exit do
    at_exit do
      TRACE.disable
      File.write(ENV.fetch("TRUTH_INTO"), JSON.dump(calls: CALLS.values, heirs: heirs))
    end
  end
  TRACE.enable
end
