"""Between the processor and a GPU: through pinned memory, in as few transfers as there can be.

A copy from ordinary memory is made in two steps, and the processor waits for it. One from pinned memory is made by the
device itself, in the order of its other work.
"""

import numpy as np
import torch


def sendable(array: np.ndarray, device: torch.device) -> torch.Tensor:
    """``array`` as a tensor that can be copied to ``device`` with ``non_blocking=True``: pinned where that is a GPU."""
    tensor = torch.from_numpy(array)
    return tensor.pin_memory() if device.type == "cuda" else tensor


def sent(array: np.ndarray, device: torch.device) -> torch.Tensor:
    """``array`` on ``device``; the device has it before whatever it is asked for next."""
    return sendable(array, device).to(device, non_blocking=True)


def on_host(*tensors: torch.Tensor) -> list[np.ndarray]:
    """The tensors, all of one device, as arrays: from a GPU in one transfer, for which this waits. On a processor the
    arrays are the tensors' own memory."""
    device = tensors[0].device
    if device.type != "cuda":
        return [tensor.cpu().numpy() for tensor in tensors]
    packed = _packed(tensors)
    host = torch.empty_like(packed, device="cpu", pin_memory=True)
    host.copy_(packed, non_blocking=True)
    torch.cuda.current_stream(device).synchronize()
    return [part.numpy() for part in _parts(host, tensors)]


def _order(tensors: tuple[torch.Tensor, ...]) -> list[int]:
    """Large numbers first, so that each part starts at a multiple of its own size."""
    return sorted(range(len(tensors)), key=lambda index: -tensors[index].element_size())


def _packed(tensors: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """The bytes of all tensors, one after the other: uint8 [bytes]."""
    return torch.cat([tensors[index].contiguous().view(-1).view(torch.uint8) for index in _order(tensors)])


def _parts(packed: torch.Tensor, like: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
    """What ``_packed`` made of tensors of these types and shapes, in their order."""
    order = _order(like)
    sizes = [like[index].numel() * like[index].element_size() for index in order]
    slices = dict(zip(order, packed.split(sizes), strict=True))
    return [slices[index].view(tensor.dtype).view(tensor.shape) for index, tensor in enumerate(like)]
