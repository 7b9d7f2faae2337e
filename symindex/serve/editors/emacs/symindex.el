;;; symindex.el --- Symbols of the whole project, beside any Eglot server  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; Eglot has one server for each major mode, so a buffer whose mode has another server cannot ask symindex through Eglot.
;; `symindex-find' asks it all the same: it keeps one `symindex lsp' for each project, in any mode and with no buffer open.
;; It sends no buffers, so it finds what is on the disk.

;;; Code:

(require 'jsonrpc)
(require 'project)
(require 'url-parse)
(require 'url-util)
(require 'xref)

(defgroup symindex nil
  "Symbols of the whole project."
  :group 'tools)

(defcustom symindex-command '("symindex" "lsp")
  "The program and its arguments."
  :type '(repeat string))

(defcustom symindex-options nil
  "What the server is told when it starts, as a property list.
For example (:limit 1000 :exclude [\"**/vendor/**\"])."
  :type 'plist)

(defvar symindex--connections (make-hash-table :test #'equal)
  "The connection of each project's root.")

(defun symindex--uri (file)
  "FILE as a URI."
  (let ((path (directory-file-name (expand-file-name file))))
    (concat "file://" (unless (string-prefix-p "/" path) "/")
            (url-hexify-string (encode-coding-string path 'utf-8) url-path-allowed-chars))))

(defun symindex--file (uri)
  "The file that URI names."
  (let ((path (decode-coding-string (url-unhex-string (url-filename (url-generic-parse-url uri))) 'utf-8)))
    (if (string-match-p "\\`/[A-Za-z]:" path) (substring path 1) path)))

(defun symindex--answer (_connection method params)
  "Answer what the server asks by METHOD with PARAMS.
It has all settings from the start, and whatever else it asks is granted."
  (when (eq method 'workspace/configuration)
    (make-vector (length (plist-get params :items)) nil)))

(defun symindex--connect (root)
  "Start a server for the project at ROOT."
  (let* ((default-directory root)
         (uri (symindex--uri root))
         (connection
          (make-instance 'jsonrpc-process-connection
                         :name "symindex"
                         :request-dispatcher #'symindex--answer
                         :notification-dispatcher #'ignore
                         :process (lambda ()
                                    (make-process :name "symindex" :command symindex-command :connection-type 'pipe
                                                  :coding 'utf-8-emacs-unix :noquery t
                                                  :stderr (get-buffer-create " *symindex stderr*"))))))
    (jsonrpc-request connection :initialize
                     (list :processId (emacs-pid) :rootUri uri
                           :workspaceFolders (vector (list :uri uri :name (file-name-nondirectory (directory-file-name root))))
                           :initializationOptions (or symindex-options (make-hash-table))
                           ;; Emacs counts characters.
                           :capabilities '(:general (:positionEncodings ["utf-32" "utf-16"]))))
    (jsonrpc-notify connection :initialized (make-hash-table))
    (puthash root connection symindex--connections)))

(defun symindex--connection ()
  "The connection of the project that the current buffer is in."
  (let* ((project (project-current))
         (root (expand-file-name (if project (project-root project) default-directory)))
         (known (gethash root symindex--connections)))
    (if (and known (jsonrpc-running-p known)) known (symindex--connect root))))

(defun symindex--item (symbol)
  "SYMBOL, as the server sends it, as a row of an xref list."
  (let* ((container (plist-get symbol :containerName))
         (location (plist-get symbol :location))
         (start (plist-get (plist-get location :range) :start)))
    (xref-make (if (member container '(nil "")) (plist-get symbol :name) (format "%s (%s)" (plist-get symbol :name) container))
               (xref-make-file-location (symindex--file (plist-get location :uri))
                                        (1+ (plist-get start :line)) (plist-get start :character)))))

;;;###autoload
(defun symindex-find (query)
  "Show the symbols of the project that match QUERY, best first."
  (interactive (list (read-string "Symbol: " nil nil (thing-at-point 'symbol t))))
  (let ((items (mapcar #'symindex--item (jsonrpc-request (symindex--connection) :workspace/symbol (list :query query)))))
    (unless items
      (user-error "No symbol matches %s" query))
    (funcall xref-show-xrefs-function (lambda () items) (list (cons 'window (selected-window))))))

(defun symindex-quit ()
  "End all servers that `symindex-find' has started."
  (interactive)
  (maphash (lambda (_root connection)
             (when (jsonrpc-running-p connection)
               (jsonrpc-request connection :shutdown nil :timeout 3)
               (jsonrpc-notify connection :exit nil)
               (jsonrpc-shutdown connection)))
           symindex--connections)
  (clrhash symindex--connections))

(provide 'symindex)
;;; symindex.el ends here
