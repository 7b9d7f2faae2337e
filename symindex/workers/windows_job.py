"""Windows' job objects: a process in one ends with this process, and gets no more memory than the
job allows.

The structures and numbers are those of winnt.h, in Microsoft's documentation of
SetInformationJobObject.
"""

import struct
import sys
from typing import Final

_KILL_ON_CLOSE: Final = 0x2000
_PROCESS_MEMORY: Final = 0x100
_EXTENDED_LIMITS: Final = 9


def job_for(process_handle: int, most_memory: int) -> int:
    """Puts a process into a job of its own; returns the job's handle. Closing that, or the end of
    this process, ends the other. 0 where the system has no jobs, or refuses: then the process has
    no limit. most_memory: in bytes; 0: no limit."""
    if sys.platform != "win32" or sys.maxsize < 2**32:
        return 0
    import ctypes

    flags = _KILL_ON_CLOSE | (_PROCESS_MEMORY if most_memory else 0)
    limits = pack_limits(flags, most_memory)
    kernel = ctypes.WinDLL("kernel32")
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    job = kernel.CreateJobObjectW(None, None) or 0
    is_set = kernel.SetInformationJobObject(
        ctypes.c_void_p(job), _EXTENDED_LIMITS, limits, len(limits)
    )
    kernel.AssignProcessToJobObject(
        ctypes.c_void_p(job if is_set else 0), ctypes.c_void_p(process_handle)
    )
    return int(job)


def close_job(job: int) -> None:
    """Closes a job's handle, which ends its process."""
    if sys.platform == "win32" and job:
        import ctypes

        ctypes.WinDLL("kernel32").CloseHandle(ctypes.c_void_p(job))


def pack_limits(flags: int, most_memory: int) -> bytes:
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION where pointers have eight bytes: two times, flags, two
    sizes, a count, a mask, two classes; six counters; four sizes, of which the first is a process's
    memory."""
    return struct.pack(
        "<qqI4xQQI4xQII6Q4Q", *[0] * 2, flags, *[0] * 6, *[0] * 6, most_memory, *[0] * 3
    )
