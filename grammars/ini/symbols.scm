; Sections, with their settings; settings before the first section stand alone.
(section . (section_name (text) @name)) @definition.object
(section . (section_name (text) @name) . (_) @body (_)? @body .) @definition.object
(setting . (setting_name) @name) @definition.key

(comment) @doc
