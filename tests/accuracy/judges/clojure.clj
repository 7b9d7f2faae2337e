;; tools.reader: namespaces, definitions of the file, the functions of protocols, the fields and methods of types; nothing inside other forms.
(require '[clojure.tools.reader :as reader] '[clojure.tools.reader.reader-types :as types] '[clojure.string :as string])

(def kinds
  {"def" "def" "defonce" "def" "defn" "defn" "defn-" "defn" "defmulti" "defn" "definline" "defn" "deftest" "defn" "defmacro" "macro"
   "defprotocol" "protocol" "definterface" "protocol" "defrecord" "type" "deftype" "type" "ns" "ns"})

(defn quoted [text]
  (str \" (string/escape (str text) {\" "\\\"" \\ "\\\\" \newline " "}) \"))

(defn put [path sym container kind]
  (when (and (symbol? sym) (:line (meta sym)))
    (str "{\"path\": " (quoted path) ", \"line\": " (:line (meta sym)) ", \"name\": " (quoted (name sym))
         ", \"container\": " (quoted container) ", \"kind\": " (quoted kind) "}")))

(defn visit [path space form]
  (cond
    (instance? clojure.lang.ReaderConditional form) (mapcat #(visit path space %) (:form form))
    (and (seq? form) (symbol? (first form)))
    (let [[word sym & body] form kind (kinds (name word))]
      (cond
        (= "ns" kind) (do (reset! space (name sym)) [(put path sym "" kind)])
        (= "protocol" kind) (cons (put path sym @space kind)
                                  (for [each body :when (and (seq? each) (symbol? (first each)))]
                                    (put path (first each) (str @space (when-not (= "" @space) ".") (name sym)) "method")))
        (= "type" kind) (let [owner (str @space (when-not (= "" @space) ".") (name sym)) [fields & more] body]
                          (concat [(put path sym @space kind)]
                                  (for [each fields] (put path each owner "field"))
                                  (for [each more :when (and (seq? each) (symbol? (first each)))] (put path (first each) owner "method"))))
        (= "declare" (name word)) (for [each (rest form)] (put path each @space "declare"))
        (= "defmethod" (name word)) [(put path sym @space "method")]
        kind [(put path sym @space kind)]
        (re-matches #"def[a-z-]+" (name word)) [(put path sym @space "other")]
        (#{"do" "let" "when" "when-not" "if" "if-not"} (name word)) (mapcat #(visit path space %) (rest form))))))

(defn judge [path]
  (let [space (atom "") in (types/indexing-push-back-reader (types/string-push-back-reader (slurp path)))]
    (binding [reader/*read-eval* false reader/*alias-map* (fn [alias] alias) reader/*default-data-reader-fn* (fn [_ value] value)]
      (loop [rows []]
        (let [form (reader/read {:read-cond :preserve :eof ::end} in)]
          (if (= ::end form) (remove nil? rows) (recur (into rows (visit path space form)))))))))

(doseq [path (string/split-lines (slurp *in*))]
  (doseq [row (try (judge path) (catch Throwable error [(str "{\"path\": " (quoted path) ", \"error\": " (quoted (str error)) "}")]))]
    (println row)))
